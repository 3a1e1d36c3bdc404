import type { RangeOfLaunch } from './nsys-findings.js';
import type { SteadyWindow } from './nsys-window.js';

/** What a capture shows of the loop of a simulation. Times are microseconds; what it cannot tell is left out. */
export interface NsysFacts {
  readonly window: { readonly us: number; readonly by: SteadyWindow['by'] };
  /** Time in which the GPU ran a kernel or moved memory; of several GPUs, the busiest. */
  readonly gpuBusyUs: number;
  readonly gpuBusyShare: number;
  /** Of the busy time, that in which a kernel ran: in the rest memory was moved and nothing else done. */
  readonly kernelShare: number;
  readonly gpus: number;
  /** Of the thread that launches. */
  readonly hostWait?: {
    readonly us: number;
    readonly share: number;
    readonly calls: number;
    readonly names: readonly string[];
  };
  readonly launches?: {
    readonly count: number;
    /** From the start of one to the start of the next, the median. */
    readonly apartUs: number;
    readonly hostUs: number;
    /** What one of them keeps the GPU busy with. */
    readonly deviceUs: number;
  };
  readonly kernels?: { readonly count: number; readonly meanUs: number; readonly shortShare: number };
  /** What the loop waits for: launches of the host, or kernels or copies of the GPU. Left out where it is none clearly. */
  readonly bound?: 'launch' | 'kernel' | 'copy';
  /** Before the window. */
  readonly warmUp?: { readonly us: number; readonly gpuBusyUs: number };
  /** Kernels whose first call stands out, the worst first. */
  readonly firstCalls: readonly {
    readonly name: string;
    readonly firstUs: number;
    readonly medianUs: number;
  }[];
  /** Ranges around a step against the work that is launched in them. */
  readonly step?: RangeOfLaunch;
  readonly steps?: number;
}
