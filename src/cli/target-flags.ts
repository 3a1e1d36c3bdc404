import type { Command } from 'commander';
import { ProfilerError } from '../model/index.js';
import {
  type Container,
  type Engine,
  findContainer,
  findElsewhere,
  findInContainer,
  findPySpy,
  findService,
  findTarget,
  openEngine,
  openJournal,
  type Target,
} from '../target/index.js';
import { cleanText } from '../report/index.js';
import { collect, wholeFromOne } from './flags.js';
import { interrupted, interruptible } from './interrupt.js';
import type { Io } from './io.js';

/** How a user names a live process; see `withTarget`. */
export interface TargetFlags {
  readonly pid?: number;
  readonly match?: string;
  readonly container?: string;
  readonly compose?: readonly string[];
  readonly service?: string;
  readonly project?: string;
  readonly index?: number;
  readonly pySpy?: string;
  /** Nothing may be started, nor made. */
  readonly dryRun?: true;
}

/** A process to profile, with the container that it lives in where an engine knows it. */
export interface FoundTarget {
  readonly target: Target;
  readonly engine?: Engine;
  readonly container?: Container;
}

/** Adds the flags that name a compose service or a container. */
export function withContainer(command: Command): Command {
  return command
    .option('--container <name>', 'a container, by name or id')
    .option('--compose <file>', 'compose file of the service; may be given several times', collect)
    .option('--service <name>', 'a service of a running compose project')
    .option('--project <name>', 'the compose project, where several have such a service')
    .option('--index <number>', 'which container of a scaled service', wholeFromOne);
}

/** Adds the flags that name a live process. */
export function withTarget(command: Command): Command {
  return withContainer(
    command
      .option('--pid <pid>', 'the process, or the root of its tree', wholeFromOne)
      .option('--match <regex>', 'the process by its command line, alone or inside a container'),
  );
}

function wrong(what: string, fix: string): ProfilerError {
  return new ProfilerError(
    { id: 'target-flags', what, why: 'Exactly one process, container or service is profiled.', fix },
    2,
  );
}

/** Refuses what cannot be meant together. Throws ProfilerError `target-flags` (2, wrong usage). */
function checkFlags(flags: TargetFlags, command: readonly string[]): void {
  const line = `profiler ${command.join(' ')}`;
  const { pid, match, container, compose, service, project, index } = flags;
  // An empty variable of a script: no name begins with it, and every id does.
  for (const [name, value] of Object.entries({ container, service, project }))
    if (value === '')
      throw wrong(
        `--${name} was given without a name.`,
        `${line} --${name === 'project' ? 'service NAME --project' : name} NAME`,
      );
  // A command line may be looked for inside a container.
  const ways = { pid, container, service, ...(pid === undefined ? {} : { match }) };
  const [first, second] = Object.entries(ways).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  if (second !== undefined)
    throw wrong(
      `Both --${first} and --${second} were given.`,
      `${line} --${first} ${first === 'pid' ? 'PID' : 'NAME'}`,
    );
  const ofService = compose !== undefined || project !== undefined || index !== undefined;
  if (service === undefined && ofService)
    throw wrong(
      '--compose, --project and --index say which service is meant, and --service is missing.',
      `${line} --compose compose.yaml --service NAME`,
    );
}

/**
 * The container that the flags name; undefined where they name none. Throws what finding it throws.
 * @param command what asks for it, in the lines to type
 */
export async function namedContainer(
  io: Io,
  flags: TargetFlags,
  command: readonly string[] = ['attach'],
): Promise<{ readonly engine: Engine; readonly container: Container } | undefined> {
  checkFlags(flags, command);
  const { container, compose, service, project, index } = flags;
  if (container !== undefined) {
    const engine = await openEngine(io.env);
    return { engine, container: await findContainer(engine, container) };
  }
  if (service === undefined) return undefined;
  const engine = await openEngine(io.env);
  const query = {
    service,
    command,
    ...(project === undefined ? {} : { project }),
    ...(index === undefined ? {} : { index }),
    ...(compose === undefined ? {} : { composeFiles: compose, cwd: io.cwd }),
  };
  return { engine, container: await findService(engine, query) };
}

/** The container of a process that was named by its pid; undefined where no engine here knows it. */
async function containerOf(io: Io, target: Target): Promise<Omit<FoundTarget, 'target'>> {
  if (target.container === undefined) return {};
  try {
    const engine = await openEngine(io.env);
    return { engine, container: await findContainer(engine, target.container) };
  } catch (error) {
    if (error instanceof ProfilerError) return {};
    throw error;
  }
}

/** The process that the flags name. Throws a ProfilerError: wrong usage, or that there is no such thing. */
export async function resolveTarget(
  io: Io,
  flags: TargetFlags,
  command?: readonly string[],
): Promise<FoundTarget> {
  const named = await namedContainer(io, flags, command);
  const match = flags.match === undefined ? {} : { match: flags.match };
  if (named === undefined) {
    const target = findTarget({
      selfPid: process.pid,
      ...(flags.pid === undefined ? {} : { pid: flags.pid }),
      ...match,
    });
    const known = await containerOf(io, target);
    if (known.container === undefined) return { target };
    return { ...known, target: { ...target, containerName: known.container.name } };
  }
  try {
    const target = findInContainer(named.container, { selfPid: process.pid, ...match });
    return { ...named, target: { ...target, containerName: named.container.name } };
  } catch (error) {
    if (!(error instanceof ProfilerError) || error.finding.id !== 'container-not-local') throw error;
    if (flags.dryRun === true) throw mustLook(error);
  }
  return { ...named, target: await lookElsewhere(io, named, flags) };
}

/** A plan may start nothing, and only a sidecar knows what runs there. */
function mustLook({ finding }: ProfilerError): ProfilerError {
  const { level: _, ...rest } = finding;
  return new ProfilerError({
    ...rest,
    why: `${rest.why} Which process is meant, only a sidecar there can find out, and a plan starts none.`,
    fix: 'profiler attach …  (without --dry-run)',
  });
}

/** Asks the engine's machine itself, by a sidecar there. Throws what the search throws, and `interrupted` (130) after a signal. */
async function lookElsewhere(
  io: Io,
  { engine, container }: { readonly engine: Engine; readonly container: Container },
  { match, pySpy }: TargetFlags,
): Promise<Target> {
  const pyspy = await findPySpy({ env: io.env, ...(pySpy === undefined ? {} : { explicit: pySpy }) });
  const journal = openJournal(io.env, new Date().toISOString());
  const query = { engine, container, pyspy, journal, ...(match === undefined ? {} : { match }) };
  return interruptible(io, async ({ signal, phase }) => {
    phase('Stopping; what was made for the search is taken back.', () => 'run `profiler cleanup`.');
    io.err(`Looking for a Python in container ${cleanText(container.name)} at ${cleanText(engine.host)} …\n`);
    try {
      return await findElsewhere({ ...query, signal });
    } catch (error) {
      throw signal.aborted ? interrupted('') : error;
    }
  });
}
