import { Command, Option } from 'commander';
import { ProfilerError } from '../model/index.js';
import { type Engine, type OverridePlan, planOverride } from '../target/index.js';
import { agreeToOverride, lendOverride } from './apply-override.js';
import { examples, outputPath, recordingSeconds } from './flags.js';
import { leaveSoon } from './interrupt.js';
import type { Io } from './io.js';
import { overrideZeroX } from './override-0x.js';
import { restoreNamed } from './override-restore.js';
import { appliedJson, appliedText, overrideCommand as lineFor, planJson, planText } from './override-text.js';
import { namedContainer, type TargetFlags, withContainer } from './target-flags.js';

interface OverrideFlags extends TargetFlags {
  readonly perf?: true;
  readonly sysAdmin?: true;
  readonly apply?: true;
  readonly restore?: true;
  readonly yes?: true;
  readonly json?: true;
  readonly '0x'?: true;
  readonly duration?: number;
  readonly output?: string;
}

/** `profiler override`: lends a compose service the right to be traced, and takes it back. Throws ProfilerError. */
export function overrideCommand(io: Io, now: () => Date = () => new Date()): Command {
  return withContainer(
    new Command('override').description(
      'Print, apply or undo a throwaway compose override that lets a service be profiled.',
    ),
  )
    .option('--perf', 'for perf as well: PERFMON, where the engine knows it')
    .option('--sys-admin', 'SYS_ADMIN too: close to root on this machine')
    .addOption(new Option('--apply', 'make the service anew with it').conflicts('restore'))
    .option('--restore', 'undo it; without a service: every one that was left')
    .addOption(
      new Option('--0x', 'have 0x start its node program, for a flame graph page of it').conflicts([
        'perf',
        'sysAdmin',
        'restore',
      ]),
    )
    .option(
      '-d, --duration <seconds>',
      'with --0x --apply: seconds until it is ended (default: 20)',
      recordingSeconds,
    )
    .option('-o, --output <folder>', 'with --0x: folder of the recording, new or empty', outputPath)
    .option('--yes', 'do not ask')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples([
        ['profiler override --service bridge', 'the file, and the lines to type'],
        ['profiler override --service bridge --apply', 'apply it: the service starts anew'],
        ['profiler override --0x --service bridge --apply', 'a flame graph page of a Node bridge, by 0x'],
        ['profiler override --restore', 'undo every override that was left'],
      ]),
    )
    .action((flags: OverrideFlags) =>
      flags['0x'] === true
        ? overrideZeroX(io, flags, now).finally(leaveSoon)
        : flags.restore === true
          ? restoreNamed(io, flags)
          : override(io, flags, now),
    );
}

async function override(io: Io, flags: OverrideFlags, now: () => Date): Promise<void> {
  const named = await namedContainer(io, flags, ['override']);
  if (named === undefined) throw nothingNamed();
  const plan = await planOverride({
    engine: named.engine,
    container: named.container.id,
    env: io.env,
    perf: flags.perf === true,
    sysAdmin: flags.sysAdmin === true,
  });
  if (flags.apply === true) return apply(io, flags, { engine: named.engine, plan, now });
  await io.out(flags.json === true ? planJson(plan) : planText(plan, io.style));
  if (plan.obstacles.length > 0) io.setExitCode(1);
}

async function apply(
  io: Io,
  flags: OverrideFlags,
  { engine, plan, now }: { readonly engine: Engine; readonly plan: OverridePlan; readonly now: () => Date },
): Promise<void> {
  const wish = { engine, plan, yes: flags.yes === true, createdAt: now().toISOString() };
  if (!(await agreeToOverride(io, wish))) return;
  const lent = await lendOverride(io, wish);
  if (lent === undefined) return;
  const restore = lineFor(plan, '--restore');
  const { applied } = lent;
  await io.out(
    flags.json === true ? appliedJson(plan, applied, restore) : appliedText(plan, applied, restore, io.style),
  );
}

function nothingNamed(): ProfilerError {
  return new ProfilerError(
    {
      id: 'target-missing',
      what: 'No service was named.',
      why: 'An override belongs to one service of a running compose project.',
      fix: 'profiler override --service NAME',
    },
    2,
  );
}
