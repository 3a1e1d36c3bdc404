/** What the kernel said of a thread at the moment of its sample: the letters of the file of samples, as their ASCII codes. */
export const STATES = {
  /** On a CPU. */
  running: 82,
  /** On a CPU until the very switch that brought the sampler in: it would run, were it not looked at. */
  displaced: 80,
  /** Runnable without a CPU. */
  cpuWait: 87,
  /** In a futex inside the interpreter's lock. */
  gilWait: 71,
  /** In a call that sleeps or polls. */
  sleep: 83,
  /** Blocked elsewhere. */
  blocked: 66,
  unknown: 85,
} as const;

export type StateLetter = (typeof STATES)[keyof typeof STATES];
