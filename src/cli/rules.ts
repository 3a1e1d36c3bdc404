import { Command } from 'commander';
import { type Frame, ProfilerError } from '../model/index.js';
import { objectText, poolSamples, stackFrames } from '../report/index.js';
import {
  type RulePack,
  type RuleSet,
  UNCLAIMED,
  builtInPacks,
  classifyProfile,
  explainStack,
  parseFoldedFrames,
  runExamples,
} from '../rules/index.js';
import { type BucketChoice, bucketChoice, examples, wholeFromOne, withRules } from './flags.js';
import type { Io } from './io.js';
import { loadRules } from './rule-files.js';
import { rulesNewCommand } from './rules-new.js';
import {
  type ExplainedStack,
  explanationJson,
  explanationText,
  listJson,
  listText,
  testJson,
  testText,
} from './rules-text.js';
import { loadSource } from './source.js';

const DEFAULT_TOP = 5;

interface ListFlags {
  readonly rules?: readonly string[];
  readonly bucket?: BucketChoice;
  readonly json?: true;
}

interface ExplainFlags extends ListFlags {
  readonly recording?: string;
  readonly format?: string;
  readonly top?: number;
  readonly all?: true;
}

/** `profiler rules list|explain|test|new`: the rule packs, why one stack went into its bucket, whether a pack keeps its word, and a first one of your own. */
export function rulesCommand(io: Io): Command {
  const rules = new Command('rules').description('The rules that sort stacks into buckets.').addHelpText(
    'after',
    examples([
      ['profiler rules list --bucket publishing', 'what counts as publishing, and why'],
      ["profiler rules explain 'main (a.py:3);publish (rclpy/publisher.py:70)'", 'where one stack goes'],
      ['profiler rules explain --recording my-run --bucket unclassified', 'why nothing claimed them'],
      ['profiler rules test my-rules.yaml', 'whether your pack does what its examples say'],
      ['profiler rules new my-robot --from my-run', 'a first pack of your own, from what nothing claims'],
    ]),
  );
  withRules(
    rules
      .command('list')
      .description('Every rule, in order of precedence.')
      .option('--bucket <bucket>', 'only rules of this bucket, or BUCKET/KIND', bucketChoice),
  )
    .option('--json', 'print one JSON object')
    .action((flags: ListFlags) => list(io, flags));
  withRules(
    rules
      .command('explain')
      .description(
        'Tries every rule on a stack, frame by frame from the leaf, and says which condition failed.',
      )
      .argument('[stack]', 'folded stack, root first; " #text" after a frame gives the text of its line')
      .option('--recording <source>', 'explain the hottest stacks of a recording or profile file')
      .option('--format <id>', 'format of that file, where its content is not enough')
      .option('--top <n>', `how many of them (${DEFAULT_TOP})`, wholeFromOne)
      .option('--bucket <bucket>', 'only stacks of this bucket, or BUCKET/KIND', bucketChoice)
      .option('--all', 'show also the rules whose function, file or library does not fit'),
  )
    .option('--json', 'print one JSON object')
    .action((stack: string | undefined, flags: ExplainFlags) => explain(io, stack, flags));
  rules
    .command('test')
    .description(
      'Runs the examples of a pack through the whole set of packs; exit code 1 if one goes elsewhere.',
    )
    .argument(
      '[pack]',
      `id of a built-in pack (${builtInPacks.map((pack) => pack.id).join(', ')}) or a YAML file; default: all built-in packs`,
    )
    .option('--json', 'print one JSON object')
    .action((pack: string | undefined, flags: { readonly json?: true }) => test(io, pack, flags));
  rules.addCommand(rulesNewCommand(io));
  return rules;
}

async function list(io: Io, { rules, bucket, json }: ListFlags): Promise<void> {
  const { packs } = await loadRules(io, rules);
  const shown = packs
    .map((pack) => ({ ...pack, rules: pack.rules.filter((rule) => isChosen(rule, bucket)) }))
    .filter((pack) => pack.rules.length > 0);
  await io.out(json === true ? objectText('rules', listJson(shown)) : listText(shown, io.style));
}

function isChosen(
  one: { readonly bucket: string; readonly kind?: string },
  choice: BucketChoice | undefined,
): boolean {
  if (choice === undefined) return true;
  return one.bucket === choice.bucket && (choice.kind === undefined || one.kind === choice.kind);
}

async function explain(io: Io, stack: string | undefined, flags: ExplainFlags): Promise<void> {
  if ((stack === undefined) === (flags.recording === undefined)) {
    throw new ProfilerError(
      {
        id: 'usage',
        what:
          stack === undefined
            ? 'There is no stack to explain.'
            : 'A stack and --recording exclude each other.',
        why: 'rules explain takes either one folded stack or the hottest stacks of a source.',
        fix: 'profiler rules explain --recording SOURCE --top 5',
      },
      2,
    );
  }
  const ruleSet = await loadRules(io, flags.rules);
  const stacks =
    stack === undefined ? await hottest(io, ruleSet, flags) : [explained(ruleSet, framesOf(stack))];
  await io.out(
    flags.json === true
      ? objectText('rules-explanation', explanationJson(stacks))
      : explanationText(stacks, ruleSet.rules.length, flags.all === true, io.style),
  );
}

/** py-spy writes a count after the stack; it may be pasted along. */
const COUNT = /(\)) \d+$/;

function framesOf(stack: string): readonly Frame[] {
  try {
    return parseFoldedFrames(stack.trim().replace(COUNT, '$1'));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ProfilerError(
      {
        id: 'bad-stack',
        what: `The stack cannot be read: ${error.message}.`,
        why: 'A folded stack has its frames from root to leaf with ; between them.',
        fix: "profiler rules explain 'main (app.py:3);step (engine.py:278) #mujoco.mj_step(m, d)'",
      },
      2,
    );
  }
}

function explained(ruleSet: RuleSet, frames: readonly Frame[]): ExplainedStack {
  return { frames, explanation: explainStack(ruleSet, frames) };
}

async function hottest(io: Io, ruleSet: RuleSet, flags: ExplainFlags): Promise<readonly ExplainedStack[]> {
  const { profile } = await loadSource(io, flags.recording, flags.format, ruleSet);
  const claims = classifyProfile(ruleSet, profile);
  const pooled = poolSamples(profile, { ...flags.bucket }, (row) => claims[row] ?? UNCLAIMED);
  return pooled
    .filter(({ stack }) => stack >= 0)
    .sort((a, b) => b.weight - a.weight || a.thread - b.thread || a.stack - b.stack)
    .slice(0, flags.top ?? DEFAULT_TOP)
    .map(({ stack, weight }) => ({
      ...explained(ruleSet, stackFrames(profile, stack)),
      weight,
      unit: profile.unit,
    }));
}

async function test(io: Io, wanted: string | undefined, { json }: { readonly json?: true }): Promise<void> {
  const { ruleSet, packs } = await packsToTest(io, wanted);
  const runs = packs.map((pack) => runExamples(ruleSet, pack));
  await io.out(json === true ? objectText('rules-test', testJson(runs)) : testText(runs));
  if (runs.some((run) => run.failed.length > 0)) io.setExitCode(1);
}

async function packsToTest(
  io: Io,
  wanted: string | undefined,
): Promise<{ readonly ruleSet: RuleSet; readonly packs: readonly RulePack[] }> {
  const builtIn = builtInPacks.filter((pack) => wanted === undefined || pack.id === wanted);
  if (builtIn.length > 0 || wanted === undefined) return { ruleSet: await loadRules(io), packs: builtIn };
  const ruleSet = await loadRules(io, [wanted]);
  return { ruleSet, packs: ruleSet.packs.slice(0, 1) };
}
