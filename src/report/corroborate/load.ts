import type { Frame } from '../../model/index.js';
import type { CostRow, CostTable } from '../../simulator/index.js';
import { functionText } from '../names.js';
import { type Pooled, grouped } from '../selection.js';
import { matchHooks } from './hook-functions.js';
import { type CorroborationLine, type Figure, notComparable, verdictOf } from './line.js';
import { type Sampled, type SampledThread, bareName, outermost, wallShare } from './sampled.js';

/** Frames in and below which a phase of roqsim's start-up happens; `compile` is told by its rule, from the line that calls it. */
const PHASES: Readonly<Record<string, (frame: Frame) => boolean>> = {
  resolve_plugins: (frame) => /^_?resolve_plugins$/.test(bareName(frame)),
  setup_total: (frame) => /^_?setup$/.test(bareName(frame)) && /(?:^|\/)engine\.py$/.test(frame.file ?? ''),
  world_load: (frame) => /^_?(?:load_world|world_load)$/.test(bareName(frame)),
  dedup_assets: (frame) => /^_?dedup_assets$/.test(bareName(frame)),
  make_data: (frame) => frame.sourceText?.includes('MjData(') === true,
};

/** Phases of a start-up against a recording of it (`run --load`). Times are of the whole start-up. */
export function loadLines(table: CostTable, sampled: Sampled): readonly CorroborationLine[] {
  const rows = table.rows.filter(({ totalUs }) => totalUs !== undefined);
  const [thread] = sampled.threads;
  if (!sampled.isLoad || thread === undefined)
    return [
      notComparable(
        'load',
        'start-up',
        'us',
        'the recording is of the loop: record the start-up with profiler run --load',
      ),
    ];
  const [phases, plugins] = [rows.filter((row) => row.of === undefined), rows.filter((row) => row.of)];
  return [
    ...phases.map((row) => phaseLine(row, thread, sampled)),
    ...[...grouped(plugins, ({ of }) => of ?? '')].flatMap(([hook, own]) =>
      pluginLines(hook, own, thread, sampled),
    ),
  ];
}

function phaseLine(row: CostRow, thread: SampledThread, sampled: Sampled): CorroborationLine {
  const fits = PHASES[row.name];
  const isCompile = row.name === 'compile';
  if (fits === undefined && !isCompile)
    return notComparable('load', row.name, 'us', 'it is not known which function it is', row.totalUs);
  const entry = fits === undefined ? undefined : outermost(sampled.profile, fits);
  const chosen = thread.pooled.filter(({ stack }) => {
    if (entry !== undefined) return (entry[stack] ?? -1) >= 0;
    const { bucket, kind } = sampled.claimOf(stack);
    return bucket === 'load' && kind === 'compiling';
  });
  return line(row.name, row.totalUs ?? 0, chosen, thread, sampled);
}

function pluginLines(
  hook: string,
  rows: readonly CostRow[],
  thread: SampledThread,
  sampled: Sampled,
): readonly CorroborationLine[] {
  const { frames } = sampled.profile;
  const entry = outermost(
    sampled.profile,
    (frame) =>
      frame.kind === 'python' && bareName(frame) === hook && frame.file?.includes('importlib') !== true,
  );
  const frameOf = (stack: number): Frame | undefined => frames[entry[stack] ?? -1];
  const inHook = thread.pooled.filter(({ stack }) => frameOf(stack) !== undefined);
  const byFunction = grouped(inHook, ({ stack }) => {
    const frame = frameOf(stack);
    return frame === undefined ? '' : functionText(frame);
  });
  const functions = [...byFunction].map(([key, [first]]) => {
    const frame = frameOf(first?.stack ?? -1);
    return { key, name: frame?.name ?? '', ...(frame?.file === undefined ? {} : { file: frame.file }) };
  });
  return matchHooks(rows, functions).map((match) =>
    line(
      `${match.rows.map(({ name }) => name).join(' + ')} ${hook}`,
      match.rows.reduce((sum, { totalUs = 0 }) => sum + totalUs, 0),
      byFunction.get(match.function ?? '') ?? [],
      thread,
      sampled,
      match.function,
    ),
  );
}

/** Times of a load table are rounded to tenths of a millisecond. */
const ROUNDING_US = 50;

function line(
  name: string,
  totalUs: number,
  chosen: readonly Pooled[],
  thread: SampledThread,
  sampled: Sampled,
  place?: string,
): CorroborationLine {
  const share = wallShare(thread, chosen, sampled);
  const us = (part: number): number => part * sampled.wallS * 1e6;
  const samples: Required<Figure> = { value: us(share.value), low: us(share.low), high: us(share.high) };
  const table = { value: totalUs };
  const isIn =
    verdictOf({ value: totalUs, low: totalUs - ROUNDING_US, high: totalUs + ROUNDING_US }, samples) ===
    'agrees';
  if (!isIn && chosen.length === 0)
    return notComparable('load', name, 'us', 'no sample is in a function of that name', totalUs);
  return {
    subject: 'load',
    name,
    unit: 'us',
    table,
    samples,
    verdict: isIn ? 'agrees' : 'disagrees',
    ...(place === undefined ? {} : { place }),
    ...(isIn
      ? {}
      : {
          reason:
            totalUs > samples.value
              ? 'sampling begins when the interpreter is up, and may have begun in the middle of it'
              : 'the timer ends before the work does, or the function is called outside the timer, too',
        }),
  };
}
