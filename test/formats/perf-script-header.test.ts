import { describe, expect, it } from 'vitest';
import { countedEvent, isTracepoint, parseHeader } from '../../src/formats/perf-script-header.js';

describe('the first line of an event', () => {
  it.each([
    [
      'bridge  4140/4141 [001]   812.120000:   10101010 cpu-clock: ',
      {
        place: { comm: 'bridge', pid: 4140, tid: 4141, cpu: 1, timeNs: 812_120_000_000 },
        event: 'cpu-clock',
        period: 10_101_010,
        rest: '',
        doubtful: false,
      },
    ],
    [
      'bridge  4140 [001]   812.130000123:   1 cpu-clock:ppp: ',
      {
        place: { comm: 'bridge', tid: 4140, cpu: 1, timeNs: 812_130_000_123 },
        event: 'cpu-clock:ppp',
        period: 1,
        rest: '',
        doubtful: false,
      },
    ],
    [
      'sim bin  8928/8928  [000] U     27676.220815:   10101010 cpu-clock: ',
      {
        place: { comm: 'sim bin', pid: 8928, tid: 8928, cpu: 0, timeNs: 27_676_220_815_000 },
        event: 'cpu-clock',
        period: 10_101_010,
        rest: '',
        doubtful: false,
      },
    ],
    // The thread of an exiting task is gone, and a thread that was never named is called by its number.
    [
      ':-1    -1   812.000001: cycles: ',
      { place: { tid: -1, timeNs: 812_000_001_000 }, event: 'cycles', rest: '', doubtful: false },
    ],
    [
      ':4711  4711   812.000001: cycles: ',
      { place: { tid: 4711, timeNs: 812_000_001_000 }, event: 'cycles', rest: '', doubtful: false },
    ],
    // A comm with a whole header in it.
    [
      '1 1.000000: a:  4121   812.100000:   5 cpu-clock: ',
      {
        place: { comm: '1 1.000000: a:', tid: 4121, timeNs: 812_100_000_000 },
        event: 'cpu-clock',
        period: 5,
        rest: '',
        doubtful: false,
      },
    ],
    // Arguments with one.
    [
      'bash 12 [000] 5.000000: probe:x: comm=a 7 6.000000: b: c',
      {
        place: { comm: 'bash', tid: 12, cpu: 0, timeNs: 5_000_000_000 },
        event: 'probe:x',
        rest: 'comm=a 7 6.000000: b: c',
        doubtful: false,
      },
    ],
    // A worker of the kernel has a longer name than any thread can.
    [
      'kworker/u16:3-events_unbound  77 [003] 5.000000: cycles: ',
      {
        place: { comm: 'kworker/u16:3-events_unbound', tid: 77, cpu: 3, timeNs: 5_000_000_000 },
        event: 'cycles',
        rest: '',
        doubtful: false,
      },
    ],
    [
      'sim 7 5.000000: ',
      { place: { comm: 'sim', tid: 7, timeNs: 5_000_000_000 }, rest: '', doubtful: false },
    ],
    [
      'sim 5.000000: cycles: ',
      { place: { comm: 'sim', timeNs: 5_000_000_000 }, event: 'cycles', rest: '', doubtful: true },
    ],
    [
      '7 8  4128 10101010 cycles: ',
      { place: { comm: '7 8', tid: 4128 }, event: 'cycles', period: 10_101_010, rest: '', doubtful: true },
    ],
    [
      'cycles:u: 4126 cycles: ',
      { place: { comm: 'cycles:u:', tid: 4126 }, event: 'cycles', rest: '', doubtful: true },
    ],
    ['sim bin  7813 ', { place: { comm: 'sim bin', tid: 7813 }, rest: '', doubtful: true }],
    ['cpu-clock: ', { place: {}, event: 'cpu-clock', rest: '', doubtful: true }],
    [
      'sim  7813 26666.907030: PERF_RECORD_SWITCH OUT preempt',
      {
        place: { comm: 'sim', tid: 7813, timeNs: 26_666_907_030_000 },
        record: 'SWITCH',
        rest: 'OUT preempt',
        doubtful: false,
      },
    ],
  ])('%j', (line, expected) => {
    expect(parseHeader(line)).toEqual(expected);
  });

  it.each([
    "WARNING: The /tmp/perf-x.data file's data size field is 0 which is unexpected.",
    'addr2line: DWARF error: section .debug_str is larger than its filesize!',
    'sim 12 34.500000: 1 cpu-clock:;main;step 30',
    'thread (5): MainThread;step (a.py:3) 4',
    '',
  ])('is not %j', (line) => {
    expect(parseHeader(line)).toBeUndefined();
  });

  it('of hostile text takes no time to speak of', () => {
    for (const piece of [' 1 1.000000:', ' a:', ' 1', ' [1]', '1/', '1.0: PERF_RECORD_', '  ', ':u', ' -']) {
      const header = parseHeader(piece.repeat(100_000));
      expect(header?.doubtful ?? true, piece).toBe(true);
    }
  });
});

it('an event is what it counts, whatever its modifiers and its kind of core', () => {
  const names = [
    'cpu-clock:ppp',
    'cycles:u',
    'cpu_core/cycles/P',
    'cpu_atom/cycles/',
    'sched:sched_switch',
    'cpu/event=0x3c/',
  ];
  expect(names.map(countedEvent)).toEqual([
    'cpu-clock',
    'cycles',
    'cycles',
    'cycles',
    'sched:sched_switch',
    'cpu/event=0x3c/',
  ]);
  expect(names.filter(isTracepoint)).toEqual(['sched:sched_switch']);
});
