import { ProfilerError, shellLine } from '../model/index.js';
import {
  type AppliedOverride,
  applyOverride,
  type Engine,
  openJournal,
  type OverridePlan,
  planOverride,
  restoreOverride,
} from '../target/index.js';
import { tellFindings } from './attach-route.js';
import type { Io } from './io.js';
import { consentTo } from './override-consent.js';
import { untilSignal } from './override-signal.js';
import { type FoundTarget, namedContainer, resolveTarget, type TargetFlags } from './target-flags.js';

interface Lent {
  readonly engine: Engine;
  readonly plan: OverridePlan;
  readonly applied: AppliedOverride;
  readonly takeBack: () => Promise<void>;
}

/** The override of the service that the flags name, as a plan. Throws ProfilerError. */
export async function overrideOf(
  io: Io,
  flags: TargetFlags,
): Promise<{ readonly engine: Engine; readonly plan: OverridePlan }> {
  const named = await namedContainer(io, flags);
  if (named === undefined)
    throw new ProfilerError(
      {
        id: 'target-missing',
        what: '--via override needs a service.',
        why: 'An override belongs to one service of a running compose project.',
        fix: 'profiler attach --service NAME --via override',
      },
      2,
    );
  const plan = await planOverride({ engine: named.engine, container: named.container.id, env: io.env });
  return { engine: named.engine, plan };
}

/** The line that says yes beforehand; what else was typed is the user's own. */
function attachLine({ service, project }: OverridePlan): string {
  const line = shellLine(['profiler', 'attach', '--service', service, '--project', project]);
  return `${line} … --via override --yes`;
}

async function lend(io: Io, flags: TargetFlags, yes: boolean): Promise<Lent | undefined> {
  const { engine, plan } = await overrideOf(io, flags);
  const [obstacle] = plan.obstacles;
  if (obstacle !== undefined) throw new ProfilerError(obstacle);
  if (plan.capabilities.length > 0 && !(await consentTo(io, plan, yes, attachLine(plan)))) return undefined;
  const { docker } = engine;
  const journal = openJournal(io.env, new Date().toISOString());
  const applied = await untilSignal(io, (signal) =>
    applyOverride(plan, {
      docker,
      env: io.env,
      journal,
      signal,
      onEvent: (event) => io.err(`${TALK[event]}\n`),
    }),
  );
  const takeBack = async (): Promise<void> => {
    if (applied.undo === undefined) return;
    io.err('Putting the original back …\n');
    tellFindings(io, (await restoreOverride(applied.undo, { docker, env: io.env, journal })).findings);
  };
  return { engine, plan, applied, takeBack };
}

const TALK = {
  recreating: 'Making the service anew, with the right to be traced …',
  waiting: 'Waiting until it steps again …',
  restoring: 'Putting the original back …',
} as const;

/**
 * Makes the named service anew with the right to be traced, does `work` on its new process, and puts the original back, whatever happens.
 * Undefined where the user said no. Throws ProfilerError.
 */
export async function byOverride<T>(
  io: Io,
  flags: TargetFlags & { readonly yes?: true },
  work: (found: FoundTarget) => Promise<T>,
): Promise<T | undefined> {
  const lent = await lend(io, flags, flags.yes === true);
  if (lent === undefined) {
    io.err('Nothing was changed.\n');
    io.setExitCode(1);
    return undefined;
  }
  try {
    const { match } = flags;
    const found = await resolveTarget(io, {
      container: lent.applied.container.id,
      ...(match === undefined ? {} : { match }),
    });
    return await work(found);
  } finally {
    await lent.takeBack();
  }
}
