/** What nsys shows of a simulation, as sentences: shared by statistics, which have no times, and by the SQLite export, which has. */
import type { Finding } from '../model/index.js';
import { countedText, shareText, timeText } from './amount-text.js';

export interface RangeOfLaunch {
  readonly count: number;
  readonly hostUs: number;
  readonly deviceUs: number;
  /** From the end of the range to the end of what it started; only known with times. */
  readonly lateUs?: number;
}

/** The trap: a range around a launch reads like the time of a step. */
export function stepRangeFinding({ count, hostUs, deviceUs, lateUs }: RangeOfLaunch): Finding {
  const ends = lateUs === undefined ? '' : `, and end ${timeText(lateUs)} after it`;
  return {
    level: 'warning',
    id: 'step-range-host-only',
    what: `A step range takes ${timeText(hostUs)}, the kernels of a step ${timeText(deviceUs)} of the GPU${ends} (${countedText(count, 'step')}).`,
    why: 'The range holds only what the host does, which is to launch: the GPU works it off later, so the range is not the time of a step.',
    fix: 'nsys stats --report nvtx_gpu_proj_sum FILE.nsys-rep',
  };
}

export function waitFinding(us: number, calls: number, names: readonly string[], share?: number): Finding {
  const part = share === undefined ? '' : `, ${shareText(share)} of it`;
  return {
    level: 'note',
    id: 'host-waits-for-gpu',
    what: `The host waits ${timeText(us)} for the GPU${part} (${countedText(calls, 'call')} of ${names.join(', ')}).`,
    why: 'A sampler sees this time on the line that waits: it is what the GPU takes, and code of the host around it makes nothing faster.',
    fix: 'Wait once after many steps; what the GPU then takes is in the rows of the kernels.',
  };
}

export function shortKernelsText(share: number, limitUs: number): string {
  return `${shareText(share)} of the kernels take less than ${timeText(limitUs)}`;
}

export const NO_TIMES: Finding = {
  level: 'note',
  id: 'statistics-without-times',
  what: 'These are sums without times: how busy the GPU was, what lay between launches and what was warm-up cannot be told from them.',
  why: 'They hold the whole capture, with compiling and the first calls in it.',
  fix: 'nsys export --type sqlite --output FILE.sqlite FILE.nsys-rep && profiler tables FILE.sqlite',
};
