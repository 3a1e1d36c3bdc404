import { PROC, readProcText } from '../proc/file.js';

/** What a process does about SIGUSR1, by its `/proc/PID/status`. `kills`: the kernel would end it. */
export type SignalFate = 'caught' | 'ignored' | 'blocked' | 'kills';

const SIGUSR1_BIT = 1n << 9n;

/** Undefined where the text has no such fields. */
export function signalFate(status: string): SignalFate | undefined {
  const has = (field: string): boolean | undefined => {
    const hex = new RegExp(`^${field}:\\s*([0-9a-f]{1,32})$`, 'm').exec(status)?.[1];
    return hex === undefined ? undefined : (BigInt(`0x${hex}`) & SIGUSR1_BIT) !== 0n;
  };
  const caught = has('SigCgt');
  if (caught === undefined) return undefined;
  if (caught) return has('SigBlk') === true ? 'blocked' : 'caught';
  return has('SigIgn') === true ? 'ignored' : 'kills';
}

/** The same of a live process; undefined when there is none. */
export function readSignalFate(pid: number, proc: string = PROC): SignalFate | undefined {
  return signalFate(readProcText(proc, String(pid), 'status') ?? '');
}
