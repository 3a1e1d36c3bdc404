import type { Breakdown } from './answer.js';
import { objectText, threadFacts } from './json.js';
import { gilWindowsJson, overlapJson, rivalJson } from './overlap-json.js';

/** `kind: "threads"`. */
export function threadsJson(answer: Breakdown): string {
  return objectText('threads', {
    source: answer.source,
    window: answer.window,
    lost: answer.lost,
    findings: answer.findings,
    threads: answer.threads.map((thread) => ({
      ...threadFacts(thread, answer.unit),
      overlap: overlapJson(thread),
      gilWindows: thread.gilWindows === undefined ? undefined : gilWindowsJson(thread.gilWindows),
      gilRivalry: thread.rival === undefined ? undefined : rivalJson(thread.rival),
    })),
  });
}
