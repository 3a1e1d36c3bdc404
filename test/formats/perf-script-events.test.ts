import { describe, expect, it } from 'vitest';
import { perfEvents, readProfile } from '../../src/formats/index.js';
import type { PerfEvent, PerfSample } from '../../src/formats/index.js';
import { EventSamples } from '../../src/formats/perf-script-samples.js';
import { checkProfile, mergeProfiles, totalWeight } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';
import { bytes, fixture, inChunks } from './reading.js';

async function events(text: string | Uint8Array, size = 1 << 16): Promise<PerfEvent[]> {
  const all: PerfEvent[] = [];
  const data = typeof text === 'string' ? bytes(text) : text;
  for await (const event of perfEvents(inChunks(data, size))) all.push(event);
  return all;
}

function read(text: string): Promise<Profile> {
  return readProfile([bytes(text)], { path: 'x' }, { format: 'perf-script', allowEmpty: true });
}

const STACK = '\t7f00 step+0x1 (/opt/sim)\n\t7f01 main+0x1 (/opt/sim)\n';
const SAMPLE = `sim 5 1.000000: 1 cpu-clock: \n${STACK}\n`;

const SCHED = [
  [
    'sched:sched_switch',
    'sim bin',
    11536,
    1,
    'prev_comm=sim bin prev_pid=11536 prev_prio=120 prev_state=R ==> next_comm=3 next_pid=11511 next_prio=49',
  ],
  ['cpu-clock', 'sim bin', 11536, undefined, undefined],
  ['cpu-clock', 'sim bin', 11536, undefined, undefined],
  [
    'sched:sched_switch',
    'lidar 360',
    11538,
    1,
    'prev_comm=lidar 360 prev_pid=11538 prev_prio=120 prev_state=R ==> next_comm=rcu_preempt next_pid=15 next_prio=120',
  ],
  ['cpu-clock', 'sim bin', 11536, undefined, undefined],
  [
    'sched:sched_switch',
    'lidar 360',
    11538,
    1,
    'prev_comm=lidar 360 prev_pid=11538 prev_prio=120 prev_state=S ==> next_comm=sim bin next_pid=11536 next_prio=120',
  ],
];

describe('the events of perf script text', () => {
  it('give the arguments of tracepoints beside their stacks, and other samples between', async () => {
    const found = await events(fixture('perf-script/real-sched-switch.txt'), 11);
    const samples = found.filter((event): event is PerfSample => event.kind === 'sample');
    expect(samples).toHaveLength(found.length);
    expect(samples.map(({ event, comm, tid, cpu, args }) => [event, comm, tid, cpu, args])).toEqual(SCHED);
    expect(samples[0]?.frames[0]).toEqual({
      name: '__libc_start_call_main',
      kind: 'native',
      module: 'libc.so.6',
    });
    expect(samples[0]?.frames.at(-1)).toEqual({ name: '__schedule', kind: 'kernel' });
  });

  it('give switches, and records of other kinds', async () => {
    const found = await events(fixture('perf-script/real-switch-events.txt'), 5);
    const switches = found.filter((event) => event.kind === 'switch');
    expect(switches).toHaveLength(40);
    expect(switches[1]).toEqual({
      kind: 'switch',
      comm: 'sim bin',
      tid: 7813,
      timeNs: 26_666_907_030_000,
      direction: 'out',
      preempted: true,
    });
    expect(found.filter((event) => event.kind === 'record').map(({ record }) => record)).toEqual([
      'MMAP',
      'COMM',
      'COMM',
      'MMAP2',
      'MMAP2',
      'MMAP2',
      'MMAP2',
      'MMAP2',
      'FORK',
      'COMM',
    ]);
    expect(found[2]).toMatchObject({ record: 'COMM', text: 'exec: sim bin:7813/7813' });
  });

  it('give the other thread of a switch where whole CPUs were recorded', async () => {
    const line = 'sim 5 [001] 2.000000: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:    17/18   \n';
    expect(await events(line)).toEqual([
      {
        kind: 'switch',
        comm: 'sim',
        tid: 5,
        cpu: 1,
        timeNs: 2e9,
        direction: 'out',
        preempted: true,
        other: { pid: 17, tid: 18 },
      },
    ]);
  });

  it('give losses and throttling', async () => {
    const text = `sim 5 1.000000: PERF_RECORD_LOST lost 12\nsim 5 1.000000: PERF_RECORD_LOST_SAMPLES lost: 3\nsim 5 1.5: PERF_RECORD_THROTTLE\nsim 5 1.6: PERF_RECORD_UNTHROTTLE\n${SAMPLE}`;
    expect((await events(text)).map((event) => event.kind)).toEqual([
      'lost',
      'lost',
      'throttle',
      'throttle',
      'sample',
    ]);
    const profile = await read(text);
    expect(profile.lost).toEqual({ samples: 15, lines: 0, examples: [] });
    expect(profile.findings?.map(({ level, id, what }) => [level, id, what])).toEqual([
      ['warning', 'perf-lost-data', 'perf lost 15 events.'],
      ['warning', 'sampling-throttled', 'The kernel paused the sampling once.'],
      ['note', 'cpu-time-only', expect.stringContaining('cpu-clock')],
    ]);
  });

  it('take no argument of a tracepoint for a frame', async () => {
    expect(await events('sim 5 1.000000: probe:f: 12 main (/opt/sim)\n')).toEqual([
      {
        kind: 'sample',
        comm: 'sim',
        tid: 5,
        timeNs: 1e9,
        event: 'probe:f',
        args: '12 main (/opt/sim)',
        frames: [],
        oneLine: false,
      },
    ]);
  });

  it('give equal frames as the same object, however their lines differ', async () => {
    const found = await events(`${SAMPLE}${SAMPLE}`);
    const [first, second] = found.filter((event) => event.kind === 'sample');
    expect(first?.frames[1]).toBe(second?.frames[1]);
  });
});

describe('a cut input', () => {
  const CUT = 'input ends in the middle of a stack';
  it.each([
    ['in a library', `${SAMPLE}sim 5 2.000000: 1 cpu-clock: \n\t7f00 step+0x1 (/op`, '7f00 step+0x1 (/op'],
    ['in a symbol', `${SAMPLE}sim 5 2.000000: 1 cpu-clock: \n\t7f00 st`, '7f00 st'],
    ['in an address', `${SAMPLE}sim 5 2.000000: 1 cpu-clock: \n\t7f`, '7f'],
    ['before a stack', `${SAMPLE}sim 5 2.000000: 1 cpu-clock: \n`, 'sim 5 2.000000: 1 cpu-clock: '],
    ['in the name of an event', `${SAMPLE}sim 5 2.000000: 1 cpu-cl`, 'sim 5 2.000000: 1 cpu-cl'],
    ['in a time', `${SAMPLE}sim 5 2.0`, 'sim 5 2.0'],
  ])('%s loses that event and says so', async (_, text, rest) => {
    const profile = await read(text);
    expect(totalWeight(profile)).toBe(1);
    expect(profile.stacks.length).toBe(2);
    expect(profile.lost.examples).toEqual([expect.stringContaining(`${CUT}: ${rest}`)]);
    expect(profile.findings?.[0]?.id).toBe('input-cut-off');
  });

  it('that ends with a whole line loses nothing', async () => {
    for (const whole of [SAMPLE, SAMPLE.trimEnd(), `${SAMPLE.trimEnd()}\n`]) {
      const profile = await read(whole);
      expect([totalWeight(profile), profile.lost.lines, profile.stacks.length]).toEqual([1, 0, 2]);
    }
  });
});

describe('a profile of perf script text', () => {
  it('counts events of the clock before all others, and says what it left out', async () => {
    const faults = `sim 5 1.000000: 1 page-faults: \n${STACK}\n`.repeat(3);
    const profile = await read(`${faults}${SAMPLE}`);
    expect(totalWeight(profile)).toBe(1);
    expect(profile.findings?.[0]?.what).toBe('3 samples of event page-faults ignored.');
  });

  it('takes modifiers and kinds of cores for the same event', async () => {
    const text = ['cycles:u', 'cpu_core/cycles/', 'cpu_atom/cycles/P', 'cycles']
      .map((event) => `sim 5 1.000000: 1 ${event}: \n${STACK}\n`)
      .join('');
    const profile = await read(text);
    expect(totalWeight(profile)).toBe(4);
    expect(profile.findings?.map(({ id }) => id)).toEqual(['cpu-time-only']);
  });

  it('keeps the process of a thread where there are several', async () => {
    const both = `sim 5/6 1.000000: cycles: \n${STACK}\nsim 7/8 1.000000: cycles: \n${STACK}\n`;
    expect((await read(both)).threads).toEqual([
      { tid: 6, name: 'sim', pid: 5 },
      { tid: 8, name: 'sim', pid: 7 },
    ]);
    expect((await read(both.replace('7/8', '5/8'))).threads).toEqual([
      { tid: 6, name: 'sim' },
      { tid: 8, name: 'sim' },
    ]);
  });

  it('has times only where all of its samples have one', async () => {
    const profile = await read(`${SAMPLE}sim 5 cpu-clock: \n${STACK}\n`);
    expect([totalWeight(profile), profile.samples.timeNs, profile.samples.length]).toEqual([2, undefined, 1]);
  });

  it('gives up times where there are too many samples', () => {
    const samples = new EventSamples('cycles', { format: 'perf-script' }, 2);
    const frames = [{ name: 'main', kind: 'native' }] as const;
    for (const timeNs of [5, 4, 6, 7])
      samples.add({ kind: 'sample', tid: 1, timeNs, frames, oneLine: false });
    const profile = samples.settle(false).build();
    expect([profile.samples.length, totalWeight(profile), profile.samples.timeNs]).toEqual([1, 4, undefined]);
  });

  it('keeps its findings when profiles are merged, each once', async () => {
    const profile = await read(SAMPLE);
    const merged = mergeProfiles([profile, profile], { format: 'recording' });
    expect(merged.findings).toEqual(profile.findings);
  });

  it('takes no other line for a header without time because a stack follows later', async () => {
    const profile = await read(`worker 12\n\nKilled 5\n${SAMPLE}`);
    expect(profile.threads).toEqual([{ tid: 5, name: 'sim' }]);
    expect(profile.lost.examples).toEqual([
      'line 1: not understood: worker 12',
      'line 3: not understood: Killed 5',
    ]);
  });
});

describe('hostile text', () => {
  it('of megabytes on a line is counted, not kept', async () => {
    const long = 'x'.repeat(3_000_000);
    const text = `sim 5 1.000000: cpu-clock: \n\t7f00 ${long} (/opt/sim)\n\t7f01 main (/opt/sim)\n\n${long}\n${SAMPLE}`;
    const profile = await read(text);
    expect(profile.lost.lines).toBe(2);
    expect(profile.lost.examples.map((example) => example.length)).toEqual([200, 200]);
    expect(profile.lost.examples[0]).toContain('line 2: longer than 65536 bytes: 7f00 xxx');
    expect(profile.frames.map(({ name }) => name)).toEqual(['main', 'step']);
  });

  it('of a stack without end is cut and counted', async () => {
    const profile = await read(
      `sim 5 1.000000: cpu-clock: \n${'\t7f00 f+0x1 (/opt/sim)\n'.repeat(16_390)}\n${SAMPLE}`,
    );
    expect(profile.lost.lines).toBe(6);
    expect(checkProfile(profile)).toEqual([]);
  });

  it('of a new event on every line stays bounded', async () => {
    const text = Array.from({ length: 500 }, (_, at) => `sim 5 1.000000: e${at}: \n${STACK}\n`).join('');
    const profile = await read(text);
    expect(profile.findings?.find(({ id }) => id === 'events-ignored')?.what).toContain('of event (others)');
    expect(checkProfile(profile)).toEqual([]);
  });

  it('keeps names as they are', async () => {
    const profile = await read(
      '\u202Ea\u001B[31m 5 1.000000: cpu-clock: \n\t7f00 f\u001B]0;x\u0007;g (/opt/si\u0007m)\n\n',
    );
    expect(profile.threads).toEqual([{ tid: 5, name: '\u202Ea\u001B[31m' }]);
    expect(profile.frames).toEqual([{ name: 'f\u001B]0;x\u0007;g', kind: 'native', module: 'si\u0007m' }]);
  });
});

it('simpleperf, names of one letter or none, names in brackets and bytes that are no text are read', async () => {
  const stack = '\t    7f00 f (/a/libx.so)\n\t    7f01 g ([JIT app cache])\n\n';
  const headers = [
    'com.sim\t 28859/28860 [007] 684943.450213:     833333 cpu-clock:u:',
    't  7 1.000000: cpu-clock: ',
    '  8 1.000000: cpu-clock: ',
    '[ET_NET 0]  9 [001] 1.000000: cpu-clock: ',
    '?d 10 1.000000: cpu-clock: ',
  ];
  const data = bytes(headers.map((header) => `${header}\n${stack}`).join(''));
  data[data.indexOf(0x3f)] = 0xad;
  const profile = await readProfile([data], { path: 'x' });
  expect(profile.threads).toEqual([
    { tid: 28_860, name: 'com.sim' },
    { tid: 7, name: 't' },
    { tid: 8 },
    { tid: 9, name: '[ET_NET 0]' },
    { tid: 10, name: '\uFFFDd' },
  ]);
  expect([totalWeight(profile), profile.stacks.length, profile.lost.lines]).toEqual([5, 2, 0]);
  expect(profile.frames[0]).toEqual({ name: 'g', kind: 'native', module: '[JIT]' });
});
