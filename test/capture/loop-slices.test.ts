import { describe, expect, it } from 'vitest';
import { loopSlices } from '../../src/capture/loop-slices.js';
import { sliceLengths } from '../../src/capture/slice-lengths.js';
import { parseDump } from '../../src/capture/stack-dump.js';

describe('loopSlices', () => {
  it('leaves out the slice in which stepping ended, and all after it', () => {
    expect(loopSlices(['steps', 'steps', 'steps', 'rests', 'rests'], false)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('leaves out the last slice of a program that ended, since nothing shows that it was whole', () => {
    expect(loopSlices(['steps', 'steps'], false)).toEqual([true, false]);
  });

  it('keeps the last slice of a recording that was cut in the middle of the loop', () => {
    expect(loopSlices(['steps', 'steps'], true)).toEqual([true, true]);
  });

  it('leaves out both edges of a rest between two episodes', () => {
    expect(loopSlices(['steps', 'steps', 'rests', 'steps', 'steps', 'steps'], true)).toEqual([
      true,
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it('keeps all where nothing can be told, and nothing where no slice steps', () => {
    expect(loopSlices(['unknown', 'unknown'], false)).toEqual([true, true]);
    expect(loopSlices(['rests', 'unknown'], false)).toEqual([false, false]);
    expect(loopSlices([], false)).toEqual([]);
  });

  it('leaves out what came before the first step that was seen', () => {
    expect(loopSlices(['unknown', 'steps', 'steps'], true)).toEqual([false, false, true]);
  });
});

describe('sliceLengths', () => {
  it('divides a recording of known length evenly, the last slice taking the rest', () => {
    expect(sliceLengths({ durationS: 10, sliceS: 4 })).toEqual([4, 4, 2]);
    expect(sliceLengths({ durationS: 2.5, sliceS: 4 })).toEqual([2.5]);
  });

  it('starts with short slices that grow where the end is not known', () => {
    const lengths = sliceLengths({ durationS: 86_400, sliceS: 1, loopOnly: true });
    expect(lengths.slice(0, 120).every((length) => length === 1)).toBe(true);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(86_400);
    expect(lengths.length).toBeLessThan(1000);
    let before = 0;
    for (const length of lengths) {
      expect(length).toBeLessThanOrEqual(Math.max(1, before / 60));
      before += length;
    }
  });

  it('sums to the time that was asked for', () => {
    expect(sliceLengths({ durationS: 3.5, sliceS: 1, loopOnly: true })).toEqual([1, 1, 1, 0.5]);
    expect(sliceLengths({ durationS: 0.5, sliceS: 1, loopOnly: true })).toEqual([0.5]);
  });
});

describe('parseDump', () => {
  const thread = {
    os_thread_id: 7,
    thread_name: null,
    frames: [
      { name: 'pace', filename: '/s/loop.py', line: 6 },
      { name: '<module>', filename: '/s/loop.py', line: 8 },
    ],
  };

  it('gives the frames root first', () => {
    expect(parseDump(JSON.stringify([thread]))).toEqual([
      {
        tid: 7,
        name: undefined,
        frames: [
          { name: '<module>', filename: '/s/loop.py', line: 8 },
          { name: 'pace', filename: '/s/loop.py', line: 6 },
        ],
      },
    ]);
  });

  it('passes over what is no thread and no frame', () => {
    expect(parseDump('')).toEqual([]);
    expect(parseDump('{"a":1}')).toEqual([]);
    expect(parseDump('[1,null,{"frames":3},{"os_thread_id":"7","frames":[]}]')).toEqual([]);
    expect(parseDump('[{"os_thread_id":7,"frames":[null,{"name":""},{"name":"f","filename":"x"}]}]')).toEqual(
      [{ tid: 7, name: undefined, frames: [{ name: 'f', filename: 'x', line: 0 }] }],
    );
  });
});
