import type { Spikes } from './spikes.js';
import type { CostTable } from '../../simulator/index.js';
import { percent } from '../share-text.js';
import { type CorroborationLine, notComparable } from './line.js';
import { loopWaits } from './loop-wait.js';
import {
  type Sampled,
  type SampledThread,
  heaviestPlace,
  outermost,
  wallShare,
  weightOf,
} from './sampled.js';

const CALLBACK = { name: '_run', file: 'asyncio/events.py' } as const;

/** Spikes of an event loop's lag against the samples in which it could not come back: callbacks, collections, waits for a CPU or the GIL. */
export function lagLine(
  lag: CostTable | undefined,
  wallUs: number | undefined,
  { sampled, spikes }: { readonly sampled: Sampled; readonly spikes?: Spikes },
  name: string,
): readonly CorroborationLine[] {
  const lateUs = lag === undefined ? 0 : lateness(lag, name);
  if (lag === undefined || lateUs === 0) return [];
  const within = spikes?.within;
  if (within === undefined && !(wallUs !== undefined && wallUs > 0))
    return [notComparable('lag', name, 'share', 'the trace does not say how long its run was')];
  // Of spikes whose moments are known only those of the same time count.
  const table = { value: within === undefined ? lateUs / (wallUs ?? 1) : within.lateUs / within.wallUs };
  const { profile } = sampled;
  const entry = outermost(
    profile,
    (frame) =>
      frame.kind === 'python' &&
      frame.name.endsWith(CALLBACK.name) &&
      frame.file?.endsWith(CALLBACK.file) === true,
  );
  const inCallback = heldIn(sampled, entry);
  const thread = loopThread(sampled, inCallback);
  if (thread === undefined)
    return [
      notComparable(
        'lag',
        name,
        'share',
        'no thread of the samples runs callbacks of an event loop: is it the recording of that program?',
        table.value,
      ),
    ];
  // A loop without the CPU or the GIL is late, too, wherever it stands.
  const holding = thread.pooled.flatMap((one) => {
    if (inCallback(one.stack)) return [one];
    if (one.states === undefined) return [];
    const { 'cpu-wait': cpu, 'gil-wait': gil } = one.states;
    return cpu + gil === 0
      ? []
      : [
          {
            ...one,
            weight: cpu + gil,
            states: { ...one.states, running: 0, sleep: 0, blocked: 0, unknown: 0 },
          },
        ];
  });
  const found = wallShare(thread, holding, sampled);
  // Most callbacks are short: they hold the loop up without a spike.
  const samples = { ...found, low: 0 };
  const isIn = table.value <= samples.high;
  const place = heaviestPlace(profile, holding, ({ weight }) => weight)?.text;
  const gc = weightOf(holding.filter(({ stack }) => sampled.claimOf(stack).bucket === 'gc'));
  const gcText = gc > 0 ? `the garbage collector (${percent(gc / weightOf(holding))} of it)` : undefined;
  // A collection happens in whatever function it comes upon.
  const held =
    gc > weightOf(holding) / 2 ? gcText : [place, gcText].filter((one) => one !== undefined).join(', ');
  return [
    {
      subject: 'lag',
      name,
      unit: 'share',
      table,
      samples,
      verdict: isIn ? 'agrees' : 'disagrees',
      ...(held === undefined || held === '' ? {} : { place: held }),
      ...(isIn
        ? {}
        : {
            reason: `callbacks and waits held the loop for ${percent(found.value)} of the recording: the spikes are of another part of the run, such as its start, or of a time in which the whole process stood still`,
          }),
    },
  ];
}

/** All spikes of a trace; of a report the worst, which is at least that. */
function lateness({ rows }: CostTable, name: string): number {
  const all = rows.filter(({ path, of }) => path.length === 1 && path[0] === name && of === 'spikes');
  const each = all.length > 0 ? all : rows.filter((row) => row.path[0] === name && row.name === 'spike');
  return each.reduce((sum, { totalUs = 0 }) => sum + totalUs, 0);
}

/** Whether a stack holds up its event loop: a callback of asyncio; under Node, whose loop is no code, all but its wait. */
function heldIn({ profile, threads }: Sampled, entry: Int32Array): (stack: number) => boolean {
  if (!profile.frames.some(({ kind }) => kind === 'js')) return (stack) => (entry[stack] ?? -1) >= 0;
  const waits = loopWaits(profile);
  const hasLoop = threads.some(({ pooled }) => pooled.some(({ stack }) => waits[stack] === 1));
  return (stack) => hasLoop && stack >= 0 && waits[stack] !== 1;
}

function loopThread({ threads }: Sampled, inCallback: (stack: number) => boolean): SampledThread | undefined {
  const weights = threads.map((thread) => ({
    thread,
    weight: weightOf(thread.pooled.filter(({ stack }) => inCallback(stack))),
  }));
  const [most] = weights.toSorted((a, b) => b.weight - a.weight);
  return most !== undefined && most.weight > 0 ? most.thread : undefined;
}
