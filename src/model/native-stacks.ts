import type { Profile } from './profile.js';

/** Native stacks of the threads of another profile, taken over the same window by another sampler. */
export interface NativeStacks {
  readonly profile: Profile;
  /** What one unit of their weight stands for: 1 / `rateHz` seconds. */
  readonly rateHz: number;
  /** Whether time off the CPU is among them; else only running threads were sampled. */
  readonly wall: boolean;
}
