import type { Finding } from '../../model/index.js';
import { diagnosePySpy, isTornRead } from '../pyspy-diagnosis.js';
import type { Route, RouteContext } from './route.js';
import { KILLED_MS, within } from './within.js';

/** What a stack dump by a route came to. */
export type DumpResult =
  | { readonly works: true }
  /** All it said, its last part if that is long, and how it ended. */
  | { readonly works: false; readonly said: string; readonly exit: number | string };

const PATIENCE_MS = 20_000;
/** A dump that stops nobody may catch a stack while it changes. */
const TRIES = 3;
const SAID_KEPT = 16_384;

/** Reads every stack of the target once. In native mode the target is stopped for it, as it will be for the samples. */
export async function probeDump(
  route: Pick<Route, 'start' | 'targetPid'>,
  { native }: RouteContext,
): Promise<DumpResult> {
  const mode = native ? [] : ['--nonblocking'];
  const args = ['dump', ...mode, '--json', '--pid', String(route.targetPid)];
  for (let tries = 1; ; tries += 1) {
    const dump = await dumpOnce(route, args);
    if (dump.works) return dump;
    if (dump.exit === 'unresponsive') return dump;
    const isTorn = isTornRead(dump.said);
    if (!isTorn && dump.said !== '') return dump;
    // A stack that is never whole was read all the same: how often that is so, the samples will tell.
    if (tries === TRIES) return isTorn ? { works: true } : dump;
  }
}

async function dumpOnce(route: Pick<Route, 'start'>, args: readonly string[]): Promise<DumpResult> {
  const child = route.start(args);
  let out = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-SAID_KEPT);
  });
  const inTime = await within(PATIENCE_MS, child.exit);
  if (inTime === undefined) child.kill();
  const exit = inTime ?? (await within(KILLED_MS, child.exit)) ?? 'unresponsive';
  if (exit === 0 && hasThread(out)) return { works: true };
  // A container that could not be started has its reason on standard output.
  return { works: false, said: said === '' && exit !== 0 ? out.slice(-SAID_KEPT) : said, exit };
}

function hasThread(text: string): boolean {
  try {
    const threads: unknown = JSON.parse(text);
    return Array.isArray(threads) && threads.length > 0;
  } catch {
    return false;
  }
}

/** What a failed dump means, by its own words. `where` is the route for a reader: `through nsenter`. */
export function explainDump(result: DumpResult & { readonly works: false }, where: string): Finding {
  const { said, exit } = result;
  if (said === '') {
    return exit === 0
      ? {
          level: 'blocker',
          id: 'route-no-thread',
          what: `py-spy found no Python thread in the process (${where}).`,
          why: 'The interpreter has not started its first thread yet, or only native code runs in it.',
          fix: 'Attach again once the simulation steps.',
        }
      : {
          level: 'blocker',
          id: 'route-no-sampler',
          what: `py-spy ended (${exit}) without a word ${where}.`,
          why: 'It could not be started there, or was killed.',
        };
  }
  const found = diagnosePySpy(said, typeof exit === 'number' ? exit : undefined);
  const cause = found.find(({ level }) => level === 'blocker') ?? found[0];
  if (cause !== undefined) return { ...cause, level: 'blocker' };
  return {
    level: 'blocker',
    id: 'route-no-sampler',
    what: `py-spy ended (${exit}) ${where}.`,
    why: 'It said nothing that explains it.',
  };
}
