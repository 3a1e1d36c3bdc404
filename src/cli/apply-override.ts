import { ProfilerError } from '../model/index.js';
import {
  type AppliedOverride,
  type ApplyEvent,
  applyOverride,
  type Engine,
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
 * Asks, and makes the service anew. Undefined where the answer was no (exit code 1) or a signal came (130): the service is then what it
 * was. Throws ProfilerError: the plan's first obstacle, `needs-yes`, or why it could not be done.
 */
export async function lendOverride(io: Io, wish: OverrideWish): Promise<LentOverride | undefined> {
  const { engine, plan, yes, line, createdAt } = wish;
  const [obstacle] = plan.obstacles;
  if (obstacle !== undefined) throw new ProfilerError(obstacle);
  if (plan.capabilities.length > 0 && !(await consentTo(io, plan, yes, line))) {
    io.err('Nothing was changed.\n');
    io.setExitCode(1);
    return undefined;
  }
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
    onEvent('restoring');
    const { findings } = await untilSignal(io, () => restoreOverride(undo, { docker, env: io.env, journal }));
    tellFindings(io, findings);
  };
  return { applied, takeBack };
}
