import { type OpenStretch, ProfileBuilder, isStep, openStretches, stretchAt } from '../model/index.js';
import type { Profile, ProgramSpan } from '../model/index.js';

/** More names at once are not a label. */
const MOST_NAMES = 3;

/**
 * The samples with what the program was at, in its own words, around their stacks: the innermost step, and the innermost span. Where several
 * were open beside each other all of them are named, since nobody knows of which one a sample was. Of a profile without times it is as it was.
 */
export function labelSamples(profile: Profile, spans: readonly ProgramSpan[]): Profile {
  const { samples, threads, stacks, frames } = profile;
  const { timeNs } = samples;
  if (timeNs === undefined || spans.length === 0) return profile;
  const labels = new ThreadLabels(spans);
  const builder = new ProfileBuilder(profile.unit, profile.origin);
  const threadRows = threads.map((thread) => builder.thread(thread));
  const frameRows = frames.map((frame) => builder.frame(frame));
  /** By label, the rows of the stacks below it. */
  const trees = new Map<string, Map<number, number>>();
  const rowOf = (row: number, names: readonly string[]): number => {
    const key = names.join('\0');
    // A program may have a name for every step: its tree is as large as the stacks that were taken in it.
    const rows = trees.get(key) ?? new Map<number, number>();
    trees.set(key, rows);
    const path: number[] = [];
    let at = row;
    for (; at >= 0 && !rows.has(at); at = stacks.parent[at] as number) path.push(at);
    let above =
      at >= 0
        ? (rows.get(at) as number)
        : builder.stackOf(names.map((name) => builder.frame({ name, kind: 'marker' })));
    for (const each of path.toReversed()) {
      above = builder.stack(above, frameRows[stacks.frame[each] as number] as number);
      if (stacks.verified !== undefined) builder.verify(above, stacks.verified[each] === 1);
      rows.set(each, above);
    }
    return above;
  };
  for (let row = 0; row < samples.length; row += 1) {
    const thread = samples.thread[row] as number;
    const stack = samples.stack[row] as number;
    const names = stack < 0 ? [] : labels.at(threads[thread]?.tid, timeNs[row] as number);
    builder.sample(
      stack < 0 ? -1 : rowOf(stack, names),
      threadRows[thread] as number,
      samples.weight[row] as number,
      timeNs[row],
      samples.state?.[row],
      holderOf(samples.holder?.[row], threadRows),
    );
  }
  builder.lost(profile.lost);
  if (profile.ticks !== undefined) builder.ticks(profile.ticks);
  for (const finding of profile.findings ?? []) builder.finding(finding);
  return builder.build();
}

function holderOf(holder: number | undefined, rows: readonly number[]): number {
  return holder === undefined || holder < 0 ? -1 : (rows[holder] ?? -1);
}

class ThreadLabels {
  readonly #byThread = new Map<
    number,
    readonly (readonly [word: string, stretches: readonly OpenStretch[]])[]
  >();

  constructor(spans: readonly ProgramSpan[]) {
    for (const tid of new Set(spans.map((span) => span.tid))) {
      const own = spans.filter((span) => span.tid === tid);
      this.#byThread.set(tid, [
        ['step', openStretches(own.filter(isStep))],
        ['span', openStretches(own.filter(({ kind }) => kind === 'span' || kind === 'frame'))],
      ]);
    }
  }

  /** `step drive(2.0)`, `span Physics`; outermost first. */
  at(tid: number | undefined, ns: number): readonly string[] {
    const stretches = tid === undefined ? undefined : this.#byThread.get(tid);
    return (stretches ?? []).flatMap(([word, own]) => {
      const open = stretchAt(own, ns);
      return open === undefined ? [] : [labelOf(word, open.names)];
    });
  }
}

function labelOf(word: string, names: readonly string[]): string {
  if (names.length > MOST_NAMES) return `${names.length} ${word}s at once`;
  return `${word}${names.length > 1 ? 's' : ''} ${names.join(' + ')}`;
}
