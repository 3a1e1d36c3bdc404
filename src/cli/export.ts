import { Command, Option } from 'commander';
import { FORMATS, speedscopeText } from '../formats/index.js';
import { totalWeight, withoutUnverifiedEdges } from '../model/index.js';
import { cleanText, objectText, profileJson, weightText } from '../report/index.js';
import { findZeroX } from '../target/index.js';
import { requireSamples } from './answer-findings.js';
import { drawn } from './drawn.js';
import { SOURCE_HELP, examples, outputPath } from './flags.js';
import type { Io } from './io.js';
import { printPieces, twoForStdout, writeNamedFile } from './output-file.js';
import { loadRules } from './rule-files.js';
import { loadSource } from './source.js';
import { WHOLE, speedscopeView } from './speedscope-view.js';
import { tellFindings, tellLost } from './tell-findings.js';
import { writeFacts } from './write-facts.js';
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
        ['profiler export --to folded -o out.folded', 'for flamegraph.pl, inferno'],
        ['profiler export my-run --to json -o -', 'frames, stacks and samples as JSON'],
        ['profiler export --to cpuprofile -o out.cpuprofile', 'for Chrome DevTools, VS Code'],
        ['profiler export --to firefox -o out.json', 'for profiler.firefox.com'],
        ['profiler export --to chrome -o out.trace.json', 'for ui.perfetto.dev, chrome://tracing'],
        ['profiler export --to speedscope -o out.speedscope.json', 'for speedscope'],
        ['profiler export --to 0x -o page.html', 'the flame graph page of 0x'],
      ]),
    )
    .action((source: string | undefined, flags: ExportFlags) => exportProfile(io, source, flags));
}

async function exportProfile(io: Io, source: string | undefined, flags: ExportFlags): Promise<void> {
  if (flags.output === '-' && flags.json === true)
    throw twoForStdout('profiler export --to FORMAT -o FILE --json');
  const ruleSet = await loadRules(io, undefined);
  const loaded = await loadSource(io, source, flags.format, ruleSet);
  requireSamples(loaded);
  const { source: origin } = loaded;
  // What others draw has no call in it that no verified stack shows; the profile as data is whole.
  const isDrawn = flags.to !== 'json';
  const profile = isDrawn ? withoutUnverifiedEdges(loaded.profile) : loaded.profile;
  const notes = isDrawn ? drawn(loaded.profile).findings : [];
  const format = FORMATS.find(({ id }) => id === flags.to);
  const pieces =
    flags.to === ZERO_X
      ? [await zeroXPage(await findZeroX(io.env), { ...loaded, profile })]
      : flags.to === SPEEDSCOPE
        ? speedscopeText(speedscopeView([loaded], { ruleSet }, WHOLE).file)
        : (format?.write?.(profile, writeFacts({ ...loaded, profile }, ruleSet)) ?? profileJson(profile));
  const findings = [...notes, ...(format?.writeNotes?.(profile) ?? [])];
  if (flags.output === '-') return printPieces(io, pieces);
  await writeNamedFile(io, flags.output, pieces, `profiler export --to ${flags.to} -o - > FILE`, [
    origin.path,
  ]);
  const weight = totalWeight(profile);
  if (flags.json === true) {
    await io.out(
      objectText('export', {
        source: origin,
        to: flags.to,
        output: flags.output,
        ...(profile.unit === 'samples' ? { samples: weight } : { nanoseconds: weight }),
        lost: profile.lost,
        findings,
      }),
    );
  } else {
    tellLost(io, profile.lost);
    tellFindings(io, findings);
    io.err(`Wrote ${weightText(weight, profile.unit)} to ${cleanText(flags.output)}.\n`);
  }
}

/** A page of 0x's, not a format of ours. */
const ZERO_X = '0x';

/** As `view` shows it, with the buckets and the worth of samples, which a format does not know. */
const SPEEDSCOPE = 'speedscope';

/** `json` is the profile itself, of which no reader is kept. */
function writable(): string[] {
  const formats = FORMATS.filter((format) => format.write !== undefined).map(({ id }) => id);
  return [...formats, 'json', ZERO_X].toSorted();
}
