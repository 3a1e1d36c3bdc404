import { Command, InvalidArgumentError, Option } from 'commander';
import { heaviestStacks, stackPieces } from '../model/index.js';
import { type HotBy, cleanText, hotJson, hotText, sourceText, treeJson, treeText } from '../report/index.js';
import {
  type BucketChoice,
  type IntervalFlags,
  type SourceFlags,
  bucketChoice,
  examples,
  wholeFromOne,
  withInterval,
  withSource,
} from './flags.js';
import { decimal } from './decimal.js';
import { answerOptions } from './answer.js';
import { type HotOptions, hotAnswer, select } from './hot-answer.js';
import { requireSamples } from './answer-findings.js';
import { cutTo } from './interval.js';
import type { Io } from './io.js';
import { loadRules } from './rule-files.js';
import { type Loaded, loadSource } from './source.js';
import { tellLost } from './tell-findings.js';

const DEFAULT_TOP = 25;
const MOST_FILES = 5;
/** Percent of a tree. */
const DEFAULT_MIN = 1;
const BY: readonly HotBy[] = ['stack', 'leaf', 'function', 'line', 'file', 'module', 'caller'];

interface HotFlags extends SourceFlags, IntervalFlags {
  readonly top?: number;
  readonly by: HotBy;
  readonly bucket?: BucketChoice;
  readonly folded?: true;
  readonly tsv?: true;
  readonly source?: true;
  readonly tree?: true;
  readonly min: number;
}

/** `profiler hot`: the hottest rows of a source. */
export function hotCommand(io: Io): Command {
  return withInterval(withSource(new Command('hot')))
    .description('Hottest stacks, functions, lines or callers of a recording or profile file.')
    .option('--top <n>', `rows to show (default: ${DEFAULT_TOP})`, wholeFromOne)
    .addOption(new Option('--by <grouping>', 'what a row is').choices([...BY]).default('stack'))
    .option('--bucket <bucket>', 'only what is in BUCKET or BUCKET/KIND', bucketChoice)
    .addOption(
      new Option('--folded', 'plain `stack count` lines, all of them unless --top is given').conflicts([
        'tsv',
        'source',
        'json',
        'by',
      ]),
    )
    .addOption(
      new Option('--tsv', 'count<TAB>stack lines, all of them unless --top is given').conflicts([
        'source',
        'json',
        'by',
      ]),
    )
    .addOption(new Option('--source', 'show the hot lines in their code').conflicts(['json', 'top', 'by']))
    .addOption(
      new Option('--tree', 'the calls as a tree, folded to what matters').conflicts([
        'top',
        'by',
        'folded',
        'tsv',
        'source',
      ]),
    )
    .addOption(
      new Option('--min <percent>', 'the tree, with what is less of it gathered')
        .argParser(treePercent)
        .default(DEFAULT_MIN)
        .implies({ tree: true }),
    )
    .addHelpText(
      'after',
      examples([
        ['profiler hot', 'hottest stacks of the newest recording'],
        ['profiler hot py-spy.raw --by function', 'of a file that py-spy wrote'],
        ['profiler hot --bucket raycast --by caller', 'which sensor casts the rays'],
        ['profiler hot --tree --bucket plugin', 'what plugins call, and for how long'],
        ['profiler hot --thread MainThread --source', 'the hot lines in their code'],
        ['profiler hot --from 3.2 --to 3.4', 'what ran in those 0.2 seconds'],
        ['profiler hot --folded > out.folded', 'for flame graph tools'],
      ]),
    )
    .action((source: string | undefined, flags: HotFlags) => hot(io, source, flags));
}

/** Least of what `--min` takes: a tree is nested no deeper than its inverse. */
const LEAST_MIN = 0.1;

function treePercent(text: string): number {
  const value = decimal(text);
  if (!(value >= LEAST_MIN && value <= 100)) {
    throw new InvalidArgumentError(`It must be a number of percent from ${LEAST_MIN} to 100.`);
  }
  return value;
}

async function hot(io: Io, source: string | undefined, flags: HotFlags): Promise<void> {
  const ruleSet = await loadRules(io, flags.rules);
  const whole = await loadSource(io, source, flags.format, ruleSet);
  const { loaded, claims } = cutTo(whole, flags, { command: 'hot', ruleSet });
  const options: HotOptions = {
    ...answerOptions(ruleSet, flags),
    by: flags.by,
    ...(claims === undefined ? {} : { claims }),
    ...(flags.bucket === undefined ? {} : { bucket: flags.bucket }),
  };
  if (flags.folded === true)
    return lines(io, loaded, options, flags.top, (stack, weight) => `${stack} ${weight}\n`);
  if (flags.tsv === true)
    return lines(io, loaded, options, flags.top, (stack, weight) => `${weight}\t${stack}\n`);
  if (flags.source === true) {
    const { pooled } = select(loaded, options);
    const { sourceListings } = await import('./source-lines.js');
    const listings = sourceListings(loaded.profile, whole.recording, pooled, MOST_FILES);
    return io.out(sourceText(listings, io.style));
  }
  if (flags.tree === true) {
    const { treeAnswer } = await import('./tree-answer.js');
    const tree = treeAnswer(loaded, { ...options, min: flags.min / 100 });
    return io.out(flags.json === true ? treeJson(tree) : treeText(tree, io.style));
  }
  const answer = hotAnswer(loaded, { ...options, top: flags.top ?? DEFAULT_TOP });
  return io.out(flags.json === true ? hotJson(answer) : hotText(answer, io.style));
}

/** Whole stacks as lines, heaviest first, written in pieces. */
async function lines(
  io: Io,
  loaded: Loaded,
  options: HotOptions,
  top: number | undefined,
  line: (stack: string, weight: number) => string,
): Promise<void> {
  const { profile } = loaded;
  requireSamples(loaded);
  const { pooled, threads } = select(loaded, options);
  const wanted = new Set(
    options.bucket === undefined ? [] : pooled.map((entry) => `${entry.thread} ${entry.stack}`),
  );
  let left = top ?? Number.POSITIVE_INFINITY;
  let text = '';
  for (const { stack, thread, weight } of heaviestStacks(profile, Number.POSITIVE_INFINITY)) {
    if (threads !== undefined && !threads.has(thread)) continue;
    if (options.bucket !== undefined && !wanted.has(`${thread} ${stack}`)) continue;
    if (left <= 0) break;
    left -= 1;
    text += line(cleanText(unambiguous(stackPieces(profile, stack, thread))), Math.round(weight));
    if (text.length > 65_536) {
      await io.out(text);
      text = '';
    }
  }
  if (text !== '') await io.out(text);
  tellLost(io, profile.lost);
}

/** A stack for other tools: they take every `;` for the end of a frame, so none is left in a name. */
function unambiguous(pieces: readonly string[]): string {
  return pieces.map((piece) => piece.replaceAll(';', ':')).join(';');
}
