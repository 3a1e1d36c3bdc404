import { describe, expect, it } from 'vitest';
import {
  type ProgramSpan,
  openStretches,
  spanTracks,
  stretchAt,
  trackEvents,
  trackTitle,
} from '../../src/model/index.js';

const span = (
  name: string,
  startNs: number,
  endNs: number,
  more: Partial<ProgramSpan> = {},
): ProgramSpan => ({
  tid: 7,
  kind: 'step',
  name,
  startNs,
  endNs,
  row: '0',
  ...more,
});

const told = (spans: readonly ProgramSpan[]): readonly string[] =>
  openStretches(spans).map(({ startNs, endNs, names }) => `${startNs}-${endNs} ${names.join(' + ')}`);

/** Whole numbers from 0 to below a limit, the same for the same seed. */
function randomly(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * limit);
  };
}

function innermostAt(spans: readonly ProgramSpan[], ns: number): readonly string[] {
  const open = spans.filter(({ startNs, endNs }) => startNs <= ns && ns < endNs);
  const isInside = (inner: ProgramSpan, outer: ProgramSpan): boolean =>
    inner.startNs === outer.startNs && inner.endNs === outer.endNs
      ? open.indexOf(inner) > open.indexOf(outer)
      : inner.startNs >= outer.startNs && inner.endNs <= outer.endNs;
  return open
    .filter((one) => !open.some((other) => other !== one && isInside(other, one)))
    .map(({ name }) => name);
}

describe('what was open when', () => {
  it('is the innermost, and what is around it where nothing is inside', () => {
    expect(told([span('square', 0, 100), span('drive', 10, 40), span('turn', 40, 70)])).toEqual([
      '0-10 square',
      '10-40 drive',
      '40-70 turn',
      '70-100 square',
    ]);
  });

  it('is all of those that lie beside each other, in order of their names', () => {
    expect(told([span('look', 5, 30), span('drive', 10, 50)])).toEqual([
      '5-10 look',
      '10-30 drive + look',
      '30-50 drive',
    ]);
    expect(told([span('b', 0, 9), span('a', 0, 9)])).toEqual(['0-9 a']);
  });

  it('joins neighbours that are alike, and leaves out what takes no time, and times without any', () => {
    expect(
      told([span('tick', 0, 10), span('tick', 10, 20), span('none', 5, 5), span('tick', 30, 40)]),
    ).toEqual(['0-20 tick', '30-40 tick']);
  });

  it('is a number where there are more than anyone could tell apart', () => {
    const many = Array.from({ length: 17 }, (_, at) => span(`call ${at}`, at, 100 + at));
    expect(told(many).at(16)).toBe('16-100 17 at once');
  });

  it('is the innermost however deep it lies, and a round number where hundreds lie beside each other', () => {
    const deep = Array.from({ length: 40 }, (_, at) => span(`call ${at}`, at, 100 - at));
    expect(told(deep).at(39)).toBe('39-61 call 39');
    const wide = Array.from({ length: 250 }, (_, at) => span(`call ${at}`, at, 1000 + at));
    expect(told(wide).slice(97, 101)).toEqual([
      '97-98 98 at once',
      '98-99 99 at once',
      '99-1150 over 100 at once',
      '1150-1151 99 at once',
    ]);
  });

  it('is what a look at every pair of spans would find', () => {
    const random = randomly(7);
    for (let round = 0; round < 200; round += 1) {
      const spans = Array.from({ length: random(15) }, (_, at) => {
        const startNs = random(12);
        return span(String.fromCharCode(97 + at), startNs, startNs + random(12));
      });
      const found = openStretches(spans);
      for (let ns = 0; ns < 24; ns += 1)
        expect(stretchAt(found, ns)?.names ?? []).toEqual(innermostAt(spans, ns));
    }
  });

  it('is found of a hundred thousand, thousands of them at a time', () => {
    const spans = Array.from({ length: 100_000 }, (_, at) => span('call', at, at + 5000));
    expect(told(spans)).toHaveLength(201);
    expect(spanTracks(spans).map(({ spans: own }) => own.length)[0]).toBe(20);
  });

  it('is found for a moment', () => {
    const stretches = openStretches([span('a', 10, 20), span('b', 30, 40)]);
    expect([9, 10, 19, 20, 35, 40].map((ns) => stretchAt(stretches, ns)?.names[0])).toEqual([
      undefined,
      'a',
      'a',
      undefined,
      'b',
      undefined,
    ]);
  });
});

const events = (spans: readonly ProgramSpan[]): readonly string[] =>
  spanTracks(spans).map((track) =>
    [
      track.tid,
      track.title,
      ...[...trackEvents(track)].map(
        ({ type, span: one, ns }) => `${type === 'begin' ? '(' : ')'}${one.name}@${ns}`,
      ),
    ].join(' '),
  );

describe('tracks', () => {
  it('have what lies inside each other on one row, and what overlaps on another', () => {
    expect(events([span('outer', 0, 100), span('inner', 20, 100), span('beside', 50, 120)])).toEqual([
      '7 steps (outer@0 (inner@20 )inner@100 )outer@100',
      '7 steps (beside@50 )beside@120',
    ]);
  });

  it('keep steps with their phases, apart from spans, by the row that measured them', () => {
    expect(
      events([
        span('Frame_Total', 0, 50, { kind: 'frame', row: '1' }),
        span('Physics', 10, 20, { kind: 'span', row: '1' }),
        span('execute', 0, 90, { kind: 'phase' }),
        span('drive', 0, 90),
        span('other', 0, 90, { row: '0.1' }),
      ]),
    ).toEqual([
      '7 steps (other@0 )other@90',
      '7 steps (drive@0 (execute@0 )execute@90 )drive@90',
      '7 spans (Frame_Total@0 (Physics@10 )Physics@20 )Frame_Total@50',
    ]);
  });

  it('are no more than anyone reads, however much overlaps, and the last one says what has no room', () => {
    const lanes = Array.from({ length: 100 }, (_, at) => span(`lane ${at}`, at, 100, { row: `1.${at}` }));
    const calls = Array.from({ length: 90 }, (_, at) => span('call', at, 100 + at, { kind: 'span' }));
    const tracks = spanTracks([...lanes, ...calls]);
    expect(tracks.filter(({ title }) => title === 'steps').map(trackTitle)).toEqual([
      ...Array.from({ length: 63 }, () => 'steps'),
      'steps (36 more have no room)',
    ]);
    expect(tracks.at(63)?.spans[0]?.name).toBe('lane 0');
    expect(tracks.slice(64).map(trackTitle)).toEqual([
      ...Array.from({ length: 63 }, () => 'spans'),
      'spans (26 more have no room)',
    ]);
  });

  it('are no deeper than a viewer draws', () => {
    const deep = Array.from({ length: 300 }, (_, at) => span('again', at, 1000 - at));
    expect(spanTracks(deep).map((track) => [trackTitle(track), track.spans.length])).toEqual([
      ['steps (50 more have no room)', 250],
    ]);
  });

  it('begin with the window', () => {
    expect(events([span('before', -50, -10), span('into', -50, 30), span('in', 5, 30)])).toEqual([
      '7 steps (into@0 (in@5 )in@30 )into@30',
    ]);
  });
});
