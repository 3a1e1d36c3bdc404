import { Command } from 'commander';
import { type Finding, ProfilerError, shellLine } from '../model/index.js';
import { doctorText, objectText } from '../report/index.js';
import { diagnose, type DiagnosedTarget, openEngine, openJournal } from '../target/index.js';
import { examples } from './flags.js';
import type { Io } from './io.js';
import { ownSamplerCheck } from './own-sampler-check.js';
import { resolveTarget, withTarget, type TargetFlags } from './target-flags.js';
import { typedFlags } from './target-words.js';

interface DoctorFlags extends TargetFlags {
  readonly json?: true;
}

/** `profiler doctor`: what works here and on the target, what does not, and the line to type. Throws what finding the target throws. */
export function doctorCommand(io: Io): Command {
  return withTarget(
    new Command('doctor').description('What works here, what does not, and the line to type.'),
  )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples([
        ['profiler doctor', 'engine, samplers and kernel settings of this machine'],
        ['profiler doctor --container bridge', 'and every route to a container, each tried once'],
        ['profiler doctor --pid 4711 --json', 'for scripts'],
      ]),
    )
    .action((flags: DoctorFlags) => doctor(io, flags));
}

async function doctor(io: Io, flags: DoctorFlags): Promise<void> {
  const target = names(flags) ? await diagnosedTarget(io, flags).catch(notReady) : undefined;
  const checks = await diagnose({
    env: io.env,
    arch: process.arch,
    openEngine: () => openEngine(io.env),
    ...(target === undefined ? {} : 'notReady' in target ? target : { target }),
  });
  const own = target === undefined || 'notReady' in target ? [] : await ownSamplerCheck(target);
  // Beside the other samplers of the target, and first: it is the one that is taken.
  const at = checks.findIndex(({ group }) => group === 'backends');
  const answer = { checks: at < 0 ? [...own, ...checks] : checks.toSpliced(at, 0, ...own), findings: [] };
  await io.out(flags.json === true ? objectText('doctor', answer) : doctorText(answer, io.style));
}

/** States of a container that is there: an answer, not an error. */
const NOT_READY: ReadonlySet<string> = new Set([
  'container-created',
  'container-dead',
  'container-exited',
  'container-no-python',
  'container-paused',
  'container-removing',
  'container-restarted',
  'container-restarting',
]);

function notReady(error: unknown): { readonly notReady: Finding } {
  if (!(error instanceof ProfilerError) || !NOT_READY.has(error.finding.id)) throw error;
  return { notReady: error.finding };
}

function names({ json: _json, ...target }: DoctorFlags): boolean {
  return Object.values(target).some((value) => value !== undefined);
}

async function diagnosedTarget(io: Io, flags: DoctorFlags): Promise<DiagnosedTarget> {
  const found = await resolveTarget(io, flags, ['doctor']);
  return {
    ...found,
    flags: shellLine(typedFlags(flags)),
    journal: openJournal(io.env, new Date().toISOString()),
  };
}
