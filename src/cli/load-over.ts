import { type Finding, ProfilerError } from '../model/index.js';
import type { Breakdown, ThreadAnswer } from '../report/index.js';

const OVER = {
  id: 'load-over',
  what: 'Start-up was over before sampling began: the loop stepped already.',
  why: 'Its interpreter has to be up before its stacks can be read; a start-up of less than a second or so is gone by then.',
  fix: 'profiler run -- …  (without --load: samples the loop)',
} as const;

/** Nothing was sampled, since the first step came before the sampler. */
export function loadOver(): ProfilerError {
  return new ProfilerError(OVER);
}

/** Whether all that was seen of a thread is its loop: it stepped, and loaded nothing. A forward pass belongs to building a model. */
function onlyLoops({ buckets }: ThreadAnswer): boolean {
  if (buckets.some(({ bucket }) => bucket === 'load')) return false;
  return buckets.some(
    ({ bucket, parts }) =>
      bucket === 'pacer' || (bucket === 'physics' && parts.some(({ kind }) => kind !== 'forward')),
  );
}

/** The answer about a start-up without the rows of a loop, where nothing but the loop was sampled; that is said before anything else. */
export function withoutLoop(answer: Breakdown): Breakdown {
  const [first, ...others] = answer.threads;
  if (answer.run?.phase !== 'load' || first === undefined || !onlyLoops(first)) return answer;
  const over: Finding = { level: 'warning', ...OVER };
  return {
    ...answer,
    threads: [{ ...first, buckets: [], unclassified: [] }, ...others],
    findings: [over, ...answer.findings],
  };
}
