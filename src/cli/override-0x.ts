import { setTimeout as delay } from 'node:timers/promises';
import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { claimFolder } from '../capture/index.js';
import { ProfilerError } from '../model/index.js';
import { rememberRecording, writeRecording } from '../recording/index.js';
import { breakdownJson, breakdownText } from '../report/index.js';
import {
  endZeroX,
  type Engine,
  findZeroX,
  type OverridePlan,
  planOverride,
  type ZeroX,
} from '../target/index.js';
import { answer } from './answer.js';
import { agreeToOverride, lendOverride } from './apply-override.js';
import { EXIT_INTERRUPTED } from './interrupt.js';
import type { Io } from './io.js';
import { heldSignals } from './override-signal.js';
import { overrideCommand, planJson, planText } from './override-text.js';
import { newFolder, removeUnrecorded } from './recording-place.js';
import { loadRules } from './rule-files.js';
import { loadSource } from './source.js';
import { namedContainer, type TargetFlags } from './target-flags.js';
import { RESULT, WORK, zeroXRecording } from './zero-x-recording.js';

export interface ZeroXFlags extends TargetFlags {
  readonly apply?: true;
  readonly yes?: true;
  readonly duration?: number;
  readonly output?: string;
  readonly label?: string;
  readonly json?: true;
}

const DEFAULT_DURATION_S = 20;
/** Drawing takes seconds, of a long run a minute. */
const DRAWING_S = 180;

/**
 * `override --0x`: a compose service started by 0x, for a while, and then put back. Without `--apply` it only says how. Throws
 * ProfilerError.
 */
export async function overrideZeroX(io: Io, flags: ZeroXFlags, now: () => Date): Promise<void> {
  const zeroX = await findZeroX(io.env);
  const named = await namedContainer(io, flags, ['override', '--0x']);
  if (named === undefined) throw nothingNamed();
  const { engine, container } = named;
  const planned = (folder: string): Promise<OverridePlan> =>
    planOverride({
      engine,
      container: container.id,
      env: io.env,
      zeroX: { modules: modulesOf(zeroX), output: join(folder, WORK) },
    });
  const shown = resolve(io.cwd, flags.output ?? `recordings/${container.name}-TIME`);
  const plan = await planned(shown);
  if (flags.apply !== true) {
    await io.out(flags.json === true ? planJson(plan) : planText(plan, io.style));
    if (plan.obstacles.length > 0) io.setExitCode(1);
    return;
  }
  const giveUp = flags.output === undefined ? undefined : claimFolder(shown);
  const line = `${overrideCommand(plan, '--0x')} --apply --yes`;
  const wish = { engine, yes: flags.yes === true, line, createdAt: now().toISOString() };
  let folder: string | undefined;
  try {
    if (!(await agreeToOverride(io, { ...wish, plan }))) return;
    // Its name is part of the file, so only now the plan is the one that is carried out.
    folder = await newFolder(io, flags, container.name);
    const own = flags.output === undefined ? await planned(folder) : plan;
    await record(io, flags, { ...wish, folder, zeroX, plan: own });
  } finally {
    if (folder !== undefined && flags.output === undefined) await removeUnrecorded(folder);
    giveUp?.();
  }
}

function modulesOf({ modules, argv }: ZeroX): string {
  if (modules !== undefined) return modules;
  throw new ProfilerError({
    id: '0x-not-ours',
    what: `The 0x that was found (${argv.join(' ')}) cannot be lent to a container: where its packages are is not known.`,
    why: 'Only the one that comes as an optional dependency of this tool can.',
    fix: 'npm install -g sim-profiler  (with optional dependencies)',
  });
}

interface Wish {
  readonly folder: string;
  readonly zeroX: ZeroX;
  readonly engine: Engine;
  readonly plan: OverridePlan;
  readonly yes: boolean;
  readonly createdAt: string;
}

/** Makes the service anew under 0x, has it end and draw after a while or on a signal, puts the original back, and answers. */
async function record(io: Io, flags: ZeroXFlags, wish: Wish): Promise<void> {
  const { folder, zeroX, engine, plan } = wish;
  const work = join(folder, WORK);
  for (const path of [work, join(work, RESULT)]) {
    await mkdir(path, { recursive: true });
    // The container's user may be any.
    await chmod(path, 0o777);
  }
  const done = await heldSignals(async (came) => {
    const lent = await lendOverride(io, wish);
    if (lent === undefined) return undefined;
    const startedNs = process.hrtime.bigint();
    const seconds = flags.duration ?? DEFAULT_DURATION_S;
    try {
      io.err(
        `0x samples service ${plan.service} for ${seconds} s; Ctrl-C ends early and keeps what there is.\n`,
      );
      const ended = await endZeroX(engine.docker, lent.applied.container.id, {
        after: delay(seconds * 1000, undefined, { signal: came }).catch(() => undefined),
        onEnding: () => io.err('Ending it, so that 0x draws …\n'),
        patienceS: DRAWING_S,
      });
      return { ended, startedNs, container: lent.applied.container, interrupted: came.aborted };
    } finally {
      await lent.takeBack();
    }
  });
  if (done === undefined) return;
  const { startedNs, container, interrupted } = done;
  const { version } = zeroX;
  const argv = ['0x', '-D', RESULT, '--', ...done.ended.command];
  const recording = await zeroXRecording(folder, {
    version,
    argv,
    command: done.ended.command,
    startedNs,
    container,
  }).catch((error: unknown) => {
    const { log } = done.ended;
    if (!(error instanceof ProfilerError) || log.length === 0) throw error;
    throw new ProfilerError({ ...error.finding, list: log }, error.exitCode);
  });
  await writeRecording(folder, interrupted ? { ...recording, ended: 'interrupted' } : recording);
  if (flags.output !== undefined) await rememberRecording(io.cwd, folder);
  if (interrupted) io.setExitCode(EXIT_INTERRUPTED);
  const ruleSet = await loadRules(io, undefined);
  const found = answer(await loadSource(io, folder, undefined, ruleSet), { ruleSet });
  await io.out(flags.json === true ? breakdownJson(found) : breakdownText(found, io.style));
}

function nothingNamed(): ProfilerError {
  return new ProfilerError(
    {
      id: 'target-missing',
      what: 'No service was named.',
      why: 'An override belongs to one service of a running compose project.',
      fix: 'profiler override --0x --service NAME',
    },
    2,
  );
}
