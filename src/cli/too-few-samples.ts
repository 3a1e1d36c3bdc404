import type { Finding, ThreadAccounting } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import { type ThreadAnswer, plural } from '../report/index.js';
import { recordedS } from './window.js';

/** A longer window than this holds enough of whatever it shows. */
const SHORT_S = 0.5;
/** Fewer samples than this say nothing of a share. */
const FEW = 20;
/** The kernel brings its sums up to date once a timer tick (4 ms): of a shorter window it is off by more than 4 points. */
const MEASURED_NS = 1e8;

/** Findings that hold a window against what it could have shown. */
const OF_WHOLE_WINDOWS: ReadonlySet<string> = new Set([
  'totals-unavailable',
  'sampler-normal-priority',
  'short-functions-undercounted',
]);

/** Whether our own sampler saw a thread for too short a time to hold its samples and the kernel against each other. */
export function isTooShort(
  recording: Recording,
  samples: number,
  accounting: ThreadAccounting | undefined,
): boolean {
  if (recording.backend !== 'cpython' || samples === 0 || recordedS(recording) >= SHORT_S) return false;
  return samples < FEW || accounting === undefined || accounting.wallNs < MEASURED_NS;
}

/** The findings of a thread; of one that was seen too shortly, that alone in place of what rests on more. */
export function threadFindings(recording: Recording | undefined, answered: ThreadAnswer): readonly Finding[] {
  const { estimate, totals, index } = answered;
  const samples = estimate.samples + estimate.lost;
  // With an account that could be used, there are totals.
  if (recording === undefined || index < 0 || totals !== undefined) return estimate.findings;
  if (!isTooShort(recording, samples, undefined)) return estimate.findings;
  return [
    tooFewSamples(recording, samples),
    ...estimate.findings.filter(({ id }) => !OF_WHOLE_WINDOWS.has(id)),
  ];
}

function tooFewSamples(recording: Recording, samples: number): Finding {
  const interrupted = recording.ended === 'interrupted';
  return {
    level: 'warning',
    id: 'too-few-samples',
    what: `${plural(samples, 'sample')} in ${recordedS(recording).toFixed(2)} s are too few to tell what the thread does.`,
    why: `The recording ${interrupted ? 'was interrupted' : 'ended'} just after it began, and of so short a window the kernel has no exact times either.`,
    fix: `profiler attach --pid ${interrupted ? recording.target.pid : 'PID'} -d 20`,
  };
}
