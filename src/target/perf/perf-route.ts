import { fstatSync } from 'node:fs';
import { execa } from 'execa';
import type { Finding } from '../../model/index.js';
import type { Journal } from '../journal/journal.js';
import { type NamelessFile, namelessFile } from '../nameless-file.js';
import { sharesNamespace } from '../routes/namespaces.js';
import { startLocal } from '../routes/local-process.js';
import type { Route } from '../routes/route.js';
import { undoProcesses } from '../routes/undo-processes.js';
import type { Target } from '../target.js';
import type { Perf } from '../tools/find-perf.js';
import {
  BESIDE_MODES,
  DWARF_BYTES,
  MODES,
  PERF_ENVIRONMENT,
  type PerfMode,
  perfRecordArgs,
  perfScriptArgs,
} from './perf-mode.js';
import { diagnosePerf } from './perf-refusal.js';
import { wholeStacks } from './perf-stacks.js';

export interface PerfContext {
  readonly target: Target;
  readonly perf: Perf;
  /** Whatever could outlive us is written here before it is made. */
  readonly journal: Journal;
  /** Another sampler sees the same threads, and tells of their waits. */
  readonly beside?: true;
}

/** A way to the target for perf, from this machine's own side: it needs none of the target's namespaces. */
export interface PerfRoute {
  readonly route: Route;
  readonly mode: PerfMode;
  /** Command line that prints a recording; run while the target lives, since its libraries may go with it. */
  readonly script: (input: string) => readonly string[];
}

export type PerfProbe =
  | { readonly works: true; readonly route: PerfRoute }
  | { readonly works: false; readonly finding: Finding };

const PROBE_HZ = 199;
const PROBE_S = 0.4;
const PATIENCE_MS = 30_000;
/** With fewer whole stacks than this, frame pointers lead nowhere. */
const UNWOUND = 0.5;

/** Records the target for a moment, in ever smaller modes, until the kernel allows one; then looks how its stacks unwind. */
export async function probePerf(context: PerfContext): Promise<PerfProbe> {
  const { target } = context;
  if (target.elsewhere !== undefined) return { works: false, finding: notHere(target.elsewhere) };
  let said = '';
  for (const { switches, kernel } of context.beside === true ? BESIDE_MODES : MODES) {
    const mode: PerfMode = { switches, kernel, callGraph: 'fp' };
    // perf does not print the symbols of what it gets through a pipe.
    const file = namelessFile();
    try {
      const run = await recordFor(context, mode, file);
      if (run.works) return { works: true, route: routeOf(context, await withGraph(context, mode, file)) };
      said = run.said;
    } finally {
      file.close();
    }
    if (
      !/not permitted|denied|No permission|paranoid|performance monitoring|tracefs|unknown tracepoint|can't open/i.test(
        said,
      )
    )
      break;
  }
  return { works: false, finding: diagnosePerf(said, target) };
}

function notHere(host: string): Finding {
  return {
    level: 'blocker',
    id: 'perf-not-here',
    what: `The process is on the machine of the engine (${host}).`,
    why: 'perf measures processes of its own machine.',
    fix: 'profiler attach … --backend perf  (on that machine)',
  };
}

async function recordFor(
  { perf, target }: PerfContext,
  mode: PerfMode,
  file: NamelessFile,
): Promise<{ readonly works: boolean; readonly said: string }> {
  const args = [...perfRecordArgs(mode, target.pid, PROBE_HZ, file.path), '--', 'sleep', String(PROBE_S)];
  const run = await execa(perf.path, args, {
    reject: false,
    stdin: 'ignore',
    timeout: PATIENCE_MS,
    env: PERF_ENVIRONMENT,
  });
  const said = `${run.stderr}\n${run.stdout}`.trim();
  return { works: run.exitCode === 0 && fstatSync(file.fd).size > 0, said };
}

async function withGraph(
  { perf, target }: PerfContext,
  mode: PerfMode,
  file: NamelessFile,
): Promise<PerfMode> {
  const root = rootOf(target);
  const symfs = root === undefined ? [] : ['--symfs', root];
  const unwound = async (...only: readonly string[]): Promise<ReturnType<typeof wholeStacks>> => {
    const args = ['script', '--no-inline', '-i', file.path, ...symfs, ...only, '-F', 'ip,sym'];
    const script = await execa(perf.path, args, {
      reject: false,
      stdin: 'ignore',
      timeout: PATIENCE_MS,
      env: PERF_ENVIRONMENT,
      maxBuffer: 64 * 1024 * 1024,
    });
    return wholeStacks(script.stdout);
  };
  // The first thread goes first: it is what people ask about, and others may be of libraries that are built in another way.
  const first = await unwound('--tid', String(target.pid));
  const { stacks, whole } = first.stacks > 0 ? first : await unwound();
  // Of a process that does nothing there is nothing to unwind: the cheaper way.
  return stacks > 0 && whole < UNWOUND * stacks ? { ...mode, callGraph: 'dwarf' } : mode;
}

/** Where the target's files are, unless it sees ours. */
function rootOf(target: Target): string | undefined {
  return sharesNamespace('mnt', target) === false ? `/proc/${target.pid}/root` : undefined;
}

/** A route in the fullest mode, which nobody has tried. */
export function perfRoute(context: PerfContext): PerfRoute {
  const [fullest = { switches: 'none', kernel: false }] = context.beside === true ? BESIDE_MODES : MODES;
  return routeOf(context, { ...fullest, callGraph: 'fp' });
}

function routeOf({ perf, target, journal, beside }: PerfContext, mode: PerfMode): PerfRoute {
  const running = undoProcesses();
  const commands: Route['commands'] = (args) => [[perf.path, ...args]];
  return {
    mode,
    script: (input) => [perf.path, ...perfScriptArgs(input, rootOf(target))],
    route: {
      id: 'direct',
      targetPid: target.pid,
      output: 'file',
      findings: findingsOf(mode, beside === true),
      commands,
      start: (args) =>
        running.add(
          startLocal(
            {
              argv: commands(args).at(-1) ?? [],
              forks: false,
              env: { ...ownEnvironment(), ...PERF_ENVIRONMENT },
            },
            journal,
          ),
        ),
      undo: running.undo,
    },
  };
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function findingsOf({ switches, kernel, callGraph }: PerfMode, beside: boolean): readonly Finding[] {
  const found: Finding[] = [];
  if (switches !== 'stacks' && !beside)
    found.push({
      level: 'note',
      id: 'perf-no-blocking-stacks',
      what:
        switches === 'times'
          ? 'Where threads blocked was not recorded, only when and for how long.'
          : 'Neither where nor when threads blocked was recorded.',
      why: 'The tracepoint sched:sched_switch needs root, or read access to tracefs; without it time off the CPU has no stack.',
      fix: 'sudo profiler attach … --backend perf',
    });
  if (!kernel)
    found.push({
      level: 'note',
      id: 'perf-user-only',
      what: "The kernel's own part of the time was not sampled.",
      why: 'kernel.perf_event_paranoid allows us only the user part.',
      fix: 'sudo sysctl kernel.perf_event_paranoid=1',
    });
  if (callGraph === 'dwarf')
    found.push({
      level: 'note',
      id: 'perf-dwarf',
      what: `Stacks are unwound from copies of ${DWARF_BYTES / 1024} KiB with every sample.`,
      why: 'The program was built without frame pointers; deeper stacks are cut, and each copy takes the sampled thread some microseconds.',
    });
  return found;
}
