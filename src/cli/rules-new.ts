import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { ProfilerError, errorCode, shellLine } from '../model/index.js';
import { cleanText, objectText, percent, plural, poolSamples, stackFrames } from '../report/index.js';
import { type Draft, UNCLAIMED, builtInPacks, classifyProfile, draftRulePack } from '../rules/index.js';
import { SOURCE_HELP, examples, outputPath, wholeFromOne, withRules } from './flags.js';
import type { Io } from './io.js';
import { loadRules } from './rule-files.js';
import { loadSource } from './source.js';

const DEFAULT_TOP = 20;

interface NewFlags {
  readonly from?: string;
  readonly format?: string;
  readonly top?: number;
  readonly output?: string;
  readonly rules?: readonly string[];
  readonly json?: true;
}

/** `profiler rules new NAME`: a first pack of one's own, drafted from what a recording leaves unclassified. */
export function rulesNewCommand(io: Io, now: () => Date = () => new Date()): Command {
  return withRules(
    new Command('new')
      .description('Drafts a pack of your own from the functions of a recording that no rule claims.')
      .argument('<name>', 'id of the pack; it is written to NAME.yaml', packName)
      .option('--from <source>', SOURCE_HELP)
      .option('--format <id>', 'format of that file, where its content is not enough')
      .option('--top <n>', `most rules (${DEFAULT_TOP})`, wholeFromOne)
      .option('-o, --output <file>', 'write the pack there', outputPath),
  )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples([
        ['profiler rules new my-robot', 'from the newest recording to my-robot.yaml'],
        ['profiler rules new my-robot --from demo', 'from the recording demo'],
      ]),
    )
    .action((name: string, flags: NewFlags) => draft(io, name, flags, now));
}

function packName(text: string): string {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,60}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError('It must be of small letters, digits and -, like my-robot.');
  if (builtInPacks.some(({ id }) => id === text))
    throw new InvalidArgumentError('A built-in pack has that name.');
  return text;
}

async function draft(io: Io, name: string, flags: NewFlags, now: () => Date): Promise<void> {
  const ruleSet = await loadRules(io, flags.rules);
  const { profile, source } = await loadSource(io, flags.from, flags.format, ruleSet);
  const claims = classifyProfile(ruleSet, profile);
  const stacks = poolSamples(profile, {}, (row) => claims[row] ?? UNCLAIMED)
    .filter(({ stack }) => stack >= 0)
    .map(({ stack, weight }) => ({
      frames: stackFrames(profile, stack),
      weight,
      claim: claims[stack] ?? UNCLAIMED,
    }));
  const from = flags.from ?? source.path;
  const made = await draftRulePack(
    ruleSet.packs,
    {
      id: name,
      dated: now().toISOString().slice(0, 10),
      title: `Drafted from ${from}`,
      most: flags.top ?? DEFAULT_TOP,
    },
    stacks,
  );
  if (made.rules === 0) throw nothingToDraft(made, from);
  const file = flags.output ?? `${name}.yaml`;
  await writeNewFile(io, file, made.text);
  await io.out(flags.json === true ? draftJson(name, file, made) : draftText(file, from, made));
}

/** Never over what is there: a pack is work of somebody's hands. */
async function writeNewFile(io: Pick<Io, 'cwd'>, file: string, text: string): Promise<void> {
  try {
    await writeFile(resolve(io.cwd, file), text, { flag: 'wx' });
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw new ProfilerError({
      id: code === 'EEXIST' ? 'file-exists' : 'cannot-write',
      what: code === 'EEXIST' ? `There is a ${file} already.` : `${file} could not be written (${code}).`,
      why:
        code === 'EEXIST'
          ? 'A draft takes nobody’s pack away.'
          : 'Its folder may be missing, or not yours to write to.',
      fix: 'name another file with -o',
    });
  }
}

function nothingToDraft({ all, unclassified }: Draft, from: string): ProfilerError {
  return new ProfilerError({
    id: 'nothing-to-draft',
    what:
      all === 0
        ? `${from} holds no stack.`
        : unclassified === 0
          ? `Rules claim every stack of ${from}.`
          : `No function of ${from} could be told from what rules claim already.`,
    why:
      unclassified === 0
        ? 'A draft has one rule for each function that no rule claims.'
        : 'Its unclassified stacks stand in functions whose other lines have a bucket, and the text of their lines is unknown.',
    fix: shellLine(['profiler', 'rules', 'explain', '--recording', from]),
  });
}

function draftText(file: string, from: string, { rules, all, unclassified, held, left }: Draft): string {
  const rest = left === 0 ? '' : ` ${plural(left, 'other function')} got none.`;
  const lines = [
    `${file}: ${plural(rules, 'rule')} for ${percent(held / all)} of all samples; ${percent(unclassified / all)} were unclassified.${rest}`,
    'Choose a bucket for each and say why. Then:',
    `  ${shellLine(['profiler', 'rules', 'test', file])}`,
    `  ${shellLine(['profiler', 'buckets', from, '--rules', file])}`,
  ];
  return `${lines.map(cleanText).join('\n')}\n`;
}

function draftJson(id: string, file: string, made: Draft): string {
  const { rules, all, unclassified, held, left } = made;
  return objectText('rules-draft', { id, file, rules, all, unclassified, held, left, findings: [] });
}
