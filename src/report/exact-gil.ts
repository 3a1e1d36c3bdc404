import type { Finding } from '../model/index.js';
import type { ExactGil, Interval } from '../stats/index.js';
import { durationText } from './duration-text.js';
import { interval, percent } from './share-text.js';
import { cleanText } from './terminal-text.js';

/** The wait of one thread for the GIL as the kernel timed it, beside what the samples say of it. */
export interface TimedGil extends Omit<ExactGil, 'callers'> {
  /** Function that was probed. */
  readonly symbol: string;
  /** The interpreter's own hand-overs are in it; else it is the least that was waited. */
  readonly isWhole: boolean;
  /** What asked for the GIL, the longest wait first. */
  readonly callers: readonly { readonly name: string; readonly share: number }[];
  /** Share by the samples; absent where they have none of it. */
  readonly sampled?: Interval;
  /** Events that the kernel lost: what was timed is not all then. */
  readonly lost: number;
}

/** What asked for the GIL, in words. Cleaned. */
export function callerName(caller: { readonly file?: string; readonly symbol?: string } | undefined): string {
  if (caller === undefined) return 'the interpreter: another thread wanted it';
  const file = caller.file === undefined ? undefined : cleanText(shortFile(caller.file));
  // Mangled names of C++ are no help to anybody.
  const symbol =
    caller.symbol === undefined || caller.symbol.startsWith('_Z') ? undefined : cleanText(caller.symbol);
  if (file === undefined) return 'code that was made as the program ran';
  return symbol === undefined ? file : `${symbol} (${file})`;
}

/** With its folder, which tells whose it is: `mujoco/_functions.so`. */
function shortFile(path: string): string {
  const [folder = '', last = ''] = `/${path}`.split('/').slice(-2);
  const name = last.replace(/\.cpython-\d+[^.]*(?=\.so$)/, '');
  return /^(?:lib|bin|lib64|lib-dynload|site-packages)?$/.test(folder) ? name : `${folder}/${name}`;
}

/** Whether samples and kernel tell the same; undefined where they cannot be compared. */
export function gilAgrees({ share, sampled, isWhole, lost }: TimedGil): boolean | undefined {
  if (sampled === undefined || lost > 0) return undefined;
  return share <= sampled.high && (share >= sampled.low || !isWhole);
}

/** `Timed one by one …`: what the kernel counted, and whether the samples say the same. */
export function timedGilText(timed: TimedGil): string {
  const { symbol, isWhole, share, cpuWait, takenPerS, waitsPerS, medianS, longestS, sampled, lost } = timed;
  const agrees = gilAgrees(timed);
  const beside =
    sampled === undefined
      ? ''
      : `; the samples say ${percent(sampled.share)} (${interval(sampled.low, sampled.high)})${agrees === undefined ? '' : agrees ? ', which agrees' : ', which does not agree'}`;
  const waits =
    waitsPerS === 0
      ? 'never had to wait for it'
      : `had to wait ${perS(waitsPerS)}, ${durationText(medianS * 1e6)} each (median), ${durationText(longestS * 1e6)} at most`;
  const cpu = cpuWait < 0.0005 ? '' : ` Woken for it, it then waited ${percent(cpuWait)} for a CPU.`;
  return `Timed one by one by the kernel (${symbol}), ${isWhole ? '' : 'without the hand-overs of the interpreter itself, '}it waits ${lost > 0 ? 'at least ' : ''}${percent(share)} of the time for the GIL${beside}. It took the GIL ${perS(takenPerS)} and ${waits}.${cpu}`;
}

function perS(rate: number): string {
  return `${rate < 10 ? Number(rate.toPrecision(2)) : Math.round(rate)} times a second`;
}

/** What to say of it where the wait itself is not shown. @param name of the thread, cleaned. */
export function timedGilFinding(timed: TimedGil, name: string): Finding {
  const agrees = gilAgrees(timed);
  const { share, sampled, isWhole } = timed;
  const by = sampled === undefined ? '' : ` (samples: ${interval(sampled.low, sampled.high)} %)`;
  const least = isWhole ? '' : 'at least ';
  if (agrees === false)
    return {
      level: 'warning',
      id: 'gil-wait-off',
      what: `${name} waits ${least}${percent(share)} of the time for the GIL, as the kernel timed it${by}: the samples are off.`,
      why: 'Each wait was timed by probes on the function that takes the GIL; believe these.',
      fix: 'profiler waits',
    };
  return {
    level: 'note',
    id: 'gil-wait-timed',
    what: `${name} waits ${least}${percent(share)} of the time for the GIL, as the kernel timed it${by}${agrees === true ? ': the samples agree' : ''}.`,
    why: 'Each wait was timed by probes on the function that takes the GIL.',
    fix: 'profiler waits',
  };
}
