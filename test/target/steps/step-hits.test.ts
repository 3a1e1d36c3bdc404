import { describe, expect, it } from 'vitest';
import { HitReader } from '../../../src/target/steps/step-hits.js';

const line = (thread: string, tid: number, seconds: string, event = 0): string =>
  `${thread.padStart(16)}-${String(tid).padEnd(7)} [001] DBZff ${seconds}: e${event}: (0x7fcb7fe65320) a=0x5652d98813c0 b=0x5652d98c2d40\n`;

const HIT = {
  ns: 86_554_883_996_000,
  tid: 12_437,
  event: 0,
  first: 0x5652d98813c0n,
  second: 0x5652d98c2d40n,
};

describe('what the kernel prints of a trace', () => {
  it('is a moment to the microsecond, a thread and two arguments', () => {
    expect(new HitReader().push(line('python', 12_437, '86554.883996'))).toEqual([HIT]);
    expect(new HitReader().push(line('python', 12_437, '86554.883996', 1))).toEqual([{ ...HIT, event: 1 }]);
  });

  it('may come in pieces that end anywhere', () => {
    const whole = line('python', 12_437, '86554.883996').repeat(3);
    const reader = new HitReader();
    expect([...whole].flatMap((character) => reader.push(character))).toEqual([HIT, HIT, HIT]);
  });

  it('begins with a name that the target chose', () => {
    const names = ['a-1 [000] x 1.000000: e0: (0x1) a=0x1 b=0x1', 'sh\u001b[31m', '', ' - ', '-12 [0]'];
    for (const name of names)
      expect(new HitReader().push(line(name, 12_437, '86554.883996')), name).toEqual([HIT]);
  });

  it('tells of what nobody read in time', () => {
    const reader = new HitReader();
    expect(reader.push('CPU:1 [LOST 123 EVENTS]\n')).toEqual([]);
    expect(reader.push(`CPU:0 [LOST 7 EVENTS]\n${line('python', 12_437, '86554.883996')}`)).toEqual([HIT]);
    expect(reader.lost).toBe(130);
  });

  it('of other events is nothing', () => {
    expect(
      new HitReader().push('# tracer: nop\n python-12 [000] d..1. 1.000001: sched_switch: prev=1\n'),
    ).toEqual([]);
  });
});
