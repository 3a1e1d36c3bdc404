import { describe, expect, it } from 'vitest';
import { FORMATS, type WriteFacts } from '../../src/formats/index.js';
import type { Profile, ProgramSpan } from '../../src/model/index.js';
import { chromeFaults, chromeFile } from './chrome-file.js';
import { firefoxFaults, firefoxFile } from './firefox-file.js';
import { timedProfile } from './timed-profile.js';

const MS = 1e6;

const span = (kind: ProgramSpan['kind'], name: string, from: number, to: number, row = '0'): ProgramSpan => ({
  tid: 7,
  kind,
  name,
  startNs: from * MS,
  endNs: to * MS,
  row,
});

const SPANS = [
  span('composite', 'square', -5, 90, '1.0'),
  span('step', 'drive', 10, 40, '1.0'),
  span('phase', 'sleep', 12, 30, '1.0'),
  span('step', 'look', 20, 60, '1.1'),
  span('span', 'Physics\u0007', 11, 13),
];

const profile: Profile = timedProfile('samples', [
  ['run', 1, 0],
  ['run>work', 1, 20 * MS],
]);

describe('spans of a program in files of viewers', () => {
  it('are rows of a Chrome trace behind those of their thread, as long as they were', () => {
    const file = chromeFile(profile, { spans: SPANS });
    expect(chromeFaults(file)).toEqual([]);
    const rows = new Map(
      file.traceEvents
        .filter(({ name }) => name === 'thread_name')
        .map(({ tid, args }) => [tid, args?.['name']]),
    );
    const told = file.traceEvents
      .filter(({ tid, ph }) => ph !== 'M' && String(rows.get(tid)).includes('·'))
      .map(({ tid, ph, name, ts, cat, args }) => [rows.get(tid), ph, name, ts, cat, args]);
    expect(told).toEqual([
      ['main · steps', 'B', 'look', 20_000, 'step', undefined],
      ['main · steps', 'E', 'look', 60_000, undefined, undefined],
      ['main · steps', 'B', 'square', 0, 'composite', { cut: true }],
      ['main · steps', 'B', 'drive', 10_000, 'step', undefined],
      ['main · steps', 'B', 'sleep', 12_000, 'phase', undefined],
      ['main · steps', 'E', 'sleep', 30_000, undefined, undefined],
      ['main · steps', 'E', 'drive', 40_000, undefined, undefined],
      ['main · steps', 'E', 'square', 90_000, undefined, undefined],
      ['main · spans', 'B', 'Physics␇', 11_000, 'span', undefined],
      ['main · spans', 'E', 'Physics␇', 13_000, undefined, undefined],
    ]);
  });

  it('are markers of their thread in a Firefox profile', () => {
    const file = firefoxFile(profile, { spans: SPANS });
    expect(firefoxFaults(file)).toEqual([]);
    const { markers } = file.threads[0]!;
    const { stringArray } = file.shared;
    expect(
      markers.name.map((name: number, row: number) => [
        stringArray[name],
        markers.startTime[row],
        markers.endTime[row],
        (markers.data[row] as { readonly kind: string }).kind,
      ]),
    ).toEqual([
      ['square', 0, 90, 'composite'],
      ['drive', 10, 40, 'step'],
      ['sleep', 12, 30, 'phase'],
      ['look', 20, 60, 'step'],
      [expect.stringMatching(/^Physics.?$/u), 11, 13, 'span'],
    ]);
    expect(file.meta.markerSchema.map(({ name }: { readonly name: string }) => name)).toEqual([
      'program-span',
    ]);
    expect(firefoxFile(profile, {}).meta.markerSchema).toEqual([]);
  });

  it('are profiles of their own in a speedscope file', () => {
    const write = FORMATS.find(({ id }) => id === 'speedscope')?.write;
    const text = (facts: WriteFacts): string => [...(write?.(profile, facts) ?? [])].join('');
    const file = JSON.parse(text({ spans: SPANS })) as {
      readonly profiles: readonly {
        readonly type: string;
        readonly name: string;
        readonly endValue: number;
        readonly events?: readonly { readonly type: string; readonly frame: number; readonly at: number }[];
      }[];
      readonly shared: { readonly frames: readonly { readonly name: string }[] };
    };
    expect(file.profiles.map(({ type, name, endValue }) => [type, name, endValue]).slice(1)).toEqual([
      ['evented', 'thread (7): main · steps', 0.06],
      ['evented', 'thread (7): main · steps', 0.09],
      ['evented', 'thread (7): main · spans', 0.013],
    ]);
    expect(
      file.profiles[2]?.events?.map(
        ({ type, frame, at }) => `${type} ${file.shared.frames[frame]?.name} ${at}`,
      ),
    ).toEqual([
      'O square 0',
      'O drive 0.01',
      'O sleep 0.012',
      'C sleep 0.03',
      'C drive 0.04',
      'C square 0.09',
    ]);
    expect(text({})).toBe([...(write?.(profile) ?? [])].join(''));
  });
});
