import { ProfilerError, shellLine } from '../model/index.js';
import { type Engine, type OverridePlan, planOverride } from '../target/index.js';
import { agreeToOverride, lendOverride } from './apply-override.js';
import type { Io } from './io.js';
import { heldSignals } from './override-signal.js';
import { type FoundTarget, namedContainer, resolveTarget, type TargetFlags } from './target-flags.js';

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

/**
 * Makes the named service anew with the right to be traced, does `work` on its new process, and puts the original back, whatever happens.
 * No signal ends this process meanwhile; `work` is told of one. Undefined where it was not made anew. Throws ProfilerError.
 */
export async function byOverride<T>(
  io: Io,
  flags: TargetFlags & { readonly yes?: true },
  work: (found: FoundTarget, came: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const { engine, plan } = await overrideOf(io, flags);
  const createdAt = new Date().toISOString();
  const wish = { engine, plan, yes: flags.yes === true, line: attachLine(plan), createdAt };
  if (!(await agreeToOverride(io, wish))) return undefined;
  return heldSignals(async (came) => {
    const lent = await lendOverride(io, wish);
    if (lent === undefined) return undefined;
    try {
      const { match } = flags;
      const found = await resolveTarget(io, {
        container: lent.applied.container.id,
        ...(match === undefined ? {} : { match }),
      });
      return await work(found, came);
    } finally {
      await lent.takeBack();
    }
  });
}
