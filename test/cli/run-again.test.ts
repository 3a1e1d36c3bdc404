import { describe, expect, it } from 'vitest';
import { adviseRun } from '../../src/cli/run-again.js';
import type { Finding } from '../../src/model/index.js';

const COMMAND = ['python3', 'my walk.py', '12'];

function fixOf(fix: string | undefined, load = false): string | undefined {
  const finding: Finding = {
    level: 'warning',
    id: 'x',
    what: 'What.',
    why: 'Why.',
    ...(fix === undefined ? {} : { fix }),
  };
  return adviseRun(finding, COMMAND, load).fix;
}

describe('advice to attach, about a program that has ended', () => {
  it.each([
    ['profiler attach … -r 250', "profiler run -r 250 -- python3 'my walk.py' 12"],
    [
      'profiler attach … --rate 100  (without --native)',
      "profiler run --rate 100 -- python3 'my walk.py' 12  (without --native)",
    ],
    ['sudo profiler attach … --backend perf', "sudo profiler run --backend perf -- python3 'my walk.py' 12"],
  ])('is to run it again: %s', (fix, again) => {
    expect(fixOf(fix)).toBe(again);
  });

  it('keeps to the start-up where that was asked for', () => {
    expect(fixOf('profiler attach … -r 125', true)).toBe(
      "profiler run --load -r 125 -- python3 'my walk.py' 12",
    );
  });

  it.each([
    ['profiler attach … --via sidecar'],
    ['profiler attach … -d 60'],
    ['profiler cleanup'],
    [undefined],
  ])('is left as it is where run has no such flag, or it is other advice: %s', (fix) => {
    expect(fixOf(fix)).toBe(fix);
  });
});
