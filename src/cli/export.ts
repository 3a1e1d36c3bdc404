import { dirname, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { FORMATS } from '../formats/index.js';
import { ProfilerError, errorCode, totalWeight } from '../model/index.js';
import { cleanText, objectText, profileJson, weightText } from '../report/index.js';
import { findZeroX } from '../target/index.js';
import { requireSamples } from './answer-findings.js';
import { SOURCE_HELP, examples, outputPath } from './flags.js';
import type { Io } from './io.js';
import { loadRules } from './rule-files.js';
import { loadSource } from './source.js';
import { writeWholeFile } from './whole-file.js';
import { zeroXPage } from './zero-x-page.js';

interface ExportFlags {
  readonly to: string;
  readonly output: string;
  readonly format?: string;
  readonly json?: true;
}

/** `profiler export`: the profile in another format. */
export function exportCommand(io: Io): Command {
  return new Command('export')
    .description('Writes the profile of a recording or file in another format.')
    .argument('[source]', SOURCE_HELP)
    .addOption(new Option('--to <format>', 'format to write').choices(writable()).makeOptionMandatory())
    .requiredOption('-o, --output <file>', 'file to write, - for standard output', outputPath)
    .option('--format <id>', 'format of the source, where its content is not enough')
    .option('--json', 'say what was written as one JSON object')
    .addHelpText(
      'after',
      examples([
        ['profiler export --to folded -o out.folded', 'for flamegraph.pl, inferno, speedscope'],
        ['profiler export my-run --to json -o -', 'frames, stacks and samples as JSON'],
        ['profiler export --to cpuprofile -o out.cpuprofile', 'for Chrome DevTools, VS Code, speedscope'],
        ['profiler export --to 0x -o page.html', 'the flame graph page of 0x'],
      ]),
    )
    .action((source: string | undefined, flags: ExportFlags) => exportProfile(io, source, flags));
}

async function exportProfile(io: Io, source: string | undefined, flags: ExportFlags): Promise<void> {
  const loaded = await loadSource(io, source, flags.format, await loadRules(io, undefined));
  requireSamples(loaded);
  const { profile, source: origin } = loaded;
  const format = FORMATS.find(({ id }) => id === flags.to);
  const pieces =
    flags.to === ZERO_X
      ? [await zeroXPage(await findZeroX(io.env), loaded)]
      : (format?.write?.(profile) ?? profileJson(profile));
  if (flags.output === '-') {
    for (const piece of pieces) await io.out(io.stdoutIsTerminal ? cleanLines(piece) : piece);
    return;
  }
  await writeFile(resolve(io.cwd, flags.output), flags.output, pieces);
  const weight = totalWeight(profile);
  if (flags.json === true) {
    await io.out(
      objectText('export', {
        source: origin,
        to: flags.to,
        output: flags.output,
        ...(profile.unit === 'samples' ? { samples: weight } : { nanoseconds: weight }),
        findings: [],
      }),
    );
  } else {
    io.err(`Wrote ${weightText(weight, profile.unit)} to ${cleanText(flags.output)}.\n`);
  }
}

/** Names come raw from the target: a file keeps them, a terminal must not be steered by them. A line break ends a record. */
function cleanLines(text: string): string {
  return text.split('\n').map(cleanText).join('\n');
}

/** A page of 0x's, not a format of ours. */
const ZERO_X = '0x';

/** `json` is the profile itself, of which no reader is kept. */
function writable(): string[] {
  const formats = FORMATS.filter((format) => format.write !== undefined).map(({ id }) => id);
  return [...formats, 'json', ZERO_X].toSorted();
}

/** Writes a file whole, or says why not. `instead` writes it to another place. */
export async function writeFile(
  path: string,
  named: string,
  pieces: Iterable<string>,
  instead = 'profiler export --to folded -o - > FILE',
): Promise<void> {
  try {
    await writeWholeFile(path, pieces);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    throw new ProfilerError({
      id: 'cannot-write',
      what: `${named} could not be written (${code}).`,
      why: full ? 'The disk is full.' : whyNot(code, named),
      fix: full ? `df -h ${dirname(path)}` : instead,
    });
  }
}

function whyNot(code: string, named: string): string {
  if (code === 'EEXIST') return `There is a ${named}.part: another command writes it, or was cut short.`;
  return 'Its folder may be missing, or not yours to write to.';
}
