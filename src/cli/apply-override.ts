import { ProfilerError } from '../model/index.js';
import {
  type AppliedOverride,
  type ApplyEvent,
  applyOverride,
  type Engine,
  isNeeded,
  openJournal,
  type OverridePlan,
  restoreOverride,
} from '../target/index.js';
import { EXIT_INTERRUPTED } from './interrupt.js';
import type { Io } from './io.js';
import { consentTo } from './override-consent.js';
import { untilSignal } from './override-signal.js';
import { tellFindings } from './tell-findings.js';

const TALK: Readonly<Record<ApplyEvent, string>> = {
  recreating: 'Making it anew …',
  waiting: 'Waiting until it steps again …',
  restoring: 'Putting the original back …',
};

export interface OverrideWish {
  readonly engine: Engine;
  readonly plan: OverridePlan;
  /** The user has agreed beforehand. */
  readonly yes: boolean;
  /** What to type where nobody can be asked; default: `override --apply`. */
  readonly line?: string;
  readonly createdAt: string;
}

/** An override in place, and the way back. */
export interface LentOverride {
  readonly applied: AppliedOverride;
  /** Puts the original back; a signal does not cut it short. */
  readonly takeBack: () => Promise<void>;
}

/**
 * Whether the service may be made anew: true where there is nothing to do, too. False where the answer was no (exit code 1). Throws
 * ProfilerError: the plan's first obstacle, or `needs-yes`.
 */
export async function agreeToOverride(io: Io, { plan, yes, line }: OverrideWish): Promise<boolean> {
  const [obstacle] = plan.obstacles;
  if (obstacle !== undefined) throw new ProfilerError(obstacle);
  if (!isNeeded(plan) || (await consentTo(io, plan, yes, line))) return true;
  io.err('Nothing was changed.\n');
  io.setExitCode(1);
  return false;
}

/**
 * Makes the service anew, once that was agreed to. Undefined where a signal came (exit code 130): the service is then what it was.
 * Throws ProfilerError: why it could not be done.
 */
export async function lendOverride(io: Io, wish: OverrideWish): Promise<LentOverride | undefined> {
  const { engine, plan, createdAt } = wish;
  const { docker } = engine;
  const journal = openJournal(io.env, createdAt);
  const onEvent = (event: ApplyEvent): void => io.err(`${TALK[event]}\n`);
  const applied = await untilSignal(io, (signal) =>
    applyOverride(plan, { docker, env: io.env, journal, signal, onEvent }),
  ).catch((error: unknown) => {
    if (!(error instanceof ProfilerError) || error.finding.id !== 'override-interrupted') throw error;
    io.err('Interrupted: the original is in place.\n');
    io.setExitCode(EXIT_INTERRUPTED);
    return undefined;
  });
  if (applied === undefined) return undefined;
  const takeBack = async (): Promise<void> => {
    const { undo } = applied;
    if (undo === undefined) return;
    const { findings } = await untilSignal(io, () => {
      onEvent('restoring');
      return restoreOverride(undo, { docker, env: io.env, journal });
    });
    tellFindings(io, findings);
  };
  return { applied, takeBack };
}
