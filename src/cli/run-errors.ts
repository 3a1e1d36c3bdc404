import { type Frame, frameText, ProfilerError, shellLine } from '../model/index.js';
import type { ProgramEnd } from '../target/index.js';
import type { Moment } from './moment.js';

function endText({ code, signal }: ProgramEnd): string {
  return signal === undefined ? `exit code ${code}` : `ended by ${signal}`;
}

/** What a recording says whose program was over before it had begun. */
const OVER = new Set(['no-samples', 'target-ended', 'target-replaced', 'no-route', 'no-such-pid']);

/** The loop was over before a whole second of it could be sampled: a better reason than what the sampler says of it. */
export function overTooSoon(error: unknown, ended: boolean): unknown {
  if (!ended || !(error instanceof ProfilerError) || !OVER.has(error.finding.id)) return error;
  return new ProfilerError({
    id: 'loop-too-short',
    what: 'The program was seen to step, and had ended before a second of its loop was sampled.',
    why: 'Until its loop is recognised and the sampler is beside it takes about two seconds.',
    fix: 'let the program make more steps',
  });
}

/** The program was over before anything of its loop could be seen. */
export function neverStepped(
  command: readonly string[],
  end: ProgramEnd,
  after: Moment | undefined,
  last: Frame | undefined,
): ProfilerError {
  const line = shellLine(command);
  if (after?.kind === 'output')
    return new ProfilerError({
      id: 'pattern-never-printed',
      what: `The program ended (${endText(end)}) without printing ${after.text}, so nothing was sampled.`,
      why: 'Output that is no terminal is often held back in blocks until a program ends: Python does so without -u.',
      fix: 'PYTHONUNBUFFERED=1 profiler run --after …',
    });
  return new ProfilerError({
    id: 'never-stepped',
    what:
      after === undefined
        ? `The program ended (${endText(end)}) before its loop was seen to step${
            last === undefined ? '' : `; it was last seen in ${frameText(last)}`
          }.`
        : `The program ended (${endText(end)}) within the ${after.text} s of --after, so nothing was sampled.`,
    why:
      end.code === 0
        ? 'It made too few steps to be seen, or no rule knows its loop.'
        : 'It failed while it started: what it said stands above.',
    fix: end.code === 0 ? `profiler run --after 5 -- ${line}  (or teach the rules: --rules FILE)` : line,
  });
}
