import { describe, expect, it } from 'vitest';
import { corroborationOf } from '../../src/cli/corroborate.js';
import { type Corroboration, corroborationJson, corroborationText } from '../../src/report/index.js';
import { builtInPacks, compileRules } from '../../src/rules/index.js';
import { readTables } from '../../src/simulator/index.js';
import { COLLECT, type Held, MAP, PLAN, SERVO, type Spike, WAIT, lateRun, trace } from './late-run.js';

const RULES = compileRules(builtInPacks);

/** The trace began so many milliseconds before the recording. */
const BEFORE = 1250;

const HELD: readonly Held[] = [
  { from: 100, to: 152, stack: SERVO, state: 'sleep' },
  { from: 430, to: 470, stack: PLAN },
  { from: 700, to: 790, stack: MAP },
  { from: 1310, to: 1340, stack: COLLECT },
  { from: 1830, to: 1896, stack: WAIT, state: 'gil-wait' },
  { from: 2110, to: 2170, stack: PLAN, state: 'cpu-wait' },
  { from: 3420, to: 3444, stack: SERVO, state: 'blocked' },
];

/** What a monitor of these would have said: each began 2 ms before it was due. */
const spikesOf = (held: readonly Held[], before = BEFORE): Spike[] =>
  held.map(({ from, to }) => [to + before, to - from - 2]);

const OUTSIDE: readonly Spike[] = [
  [400, 21],
  [5900, 33],
];

const inOrder = (spikes: readonly Spike[]): readonly Spike[] => spikes.toSorted(([a], [b]) => a - b);

function answered(log: string, run: ReturnType<typeof lateRun>): Corroboration {
  const found = corroborationOf(run, RULES, readTables(log), {});
  if (found === undefined || !('answer' in found)) throw new Error(JSON.stringify(found));
  return found.answer;
}

const found = answered(trace(inOrder([...OUTSIDE, ...spikesOf(HELD)]), 6500), lateRun(HELD));
const { spikes } = found;

/** With where both come from. */
const told = { ...found, source: 'trace.json', recording: { path: 'recordings/run1', format: 'recording' } };

const us = (ms: number) => ({ value: ms * 1000, low: (ms - 2) * 1000, high: (ms + 2) * 1000 });

describe('spikes of a loop whose clock has nothing in common with the recording', () => {
  it('tell how far the clocks are apart', () => {
    expect(spikes).toMatchObject({
      count: 9,
      search: {
        // A sample sees the end of what held the loop up to 2 ms before it.
        offset: { us: -1_251_000, doubtUs: 3000 },
        fits: 7,
        inside: 7,
        looked: 9,
        next: { fits: 1 },
      },
    });
  });

  it('are held against the samples of their moment, the longest first', () => {
    expect(
      spikes?.each?.map(({ fromS, tableUs, samples, verdict }) => [fromS, tableUs, samples, verdict]),
    ).toEqual([
      [0.701, 88_000, us(90), 'agrees'],
      [1.831, 64_000, us(66), 'agrees'],
      [2.111, 58_000, us(60), 'agrees'],
      [0.101, 50_000, us(52), 'agrees'],
      [0.431, 38_000, us(40), 'agrees'],
      [1.311, 28_000, us(30), 'agrees'],
      [3.421, 22_000, us(24), 'agrees'],
    ]);
  });

  it('name what held the loop, and who called it in the code of the program', () => {
    const drive = { share: 1, caller: 'drive (robot.py)' };
    expect(spikes?.each?.map(({ held }) => held)).toEqual([
      { kind: 'function', share: 1, place: 'JSONObject (json/decoder.py)', caller: 'load_map (robot.py)' },
      {
        kind: 'gil-wait',
        share: 1,
        place: 'EpollSelector.select (selectors.py)',
        caller: 'main (robot.py)',
        thread: 'camera',
      },
      { kind: 'cpu-wait', place: 'plan (robot.py)', ...drive },
      { kind: 'function', place: 'Servo.read (raccoon/hal.py)', ...drive },
      { kind: 'function', place: 'plan (robot.py)', ...drive },
      { kind: 'gc', place: 'plan (robot.py)', ...drive },
      { kind: 'function', place: 'Servo.read (raccoon/hal.py)', ...drive },
    ]);
  });

  it('name where the loop stood rather than where it waited to be woken', () => {
    // Woken late, it then worked, and had no CPU for most of both.
    const late: readonly Held[] = [
      ...HELD.slice(0, 4),
      { from: 2690, to: 2704, stack: WAIT, state: 'cpu-wait' },
      { from: 2704, to: 2716, stack: PLAN },
      { from: 2716, to: 2724, stack: PLAN, state: 'cpu-wait' },
    ];
    const spiked: readonly Spike[] = [...spikesOf(HELD.slice(0, 4)), [2724 + BEFORE, 33]];
    const line = answered(trace(spiked, 6500), lateRun(late)).spikes?.each?.find(
      ({ tableUs }) => tableUs === 33_000,
    );
    expect(line?.held).toMatchObject({ kind: 'cpu-wait', place: 'plan (robot.py)' });
  });

  it('are summed up over the time of the recording alone', () => {
    expect(found.lines.map(({ name, verdict, table }) => [name, verdict, table?.value])).toEqual([
      ['event-loop lag', 'agrees', 0.348 / 4],
    ]);
    expect(found.findings.map(({ id }) => id)).toEqual(['run-not-told']);
  });

  it('may begin and end inside the recording, too', () => {
    const within = answered(trace(spikesOf(HELD.slice(0, 5), -50), 1900), lateRun(HELD));
    expect(within.spikes?.search).toMatchObject({ offset: { us: 49_000 }, fits: 5, inside: 5 });
    expect(within.coverage).toEqual({ recordedS: 4, runS: 1.9 });
    expect(within.lines.map(({ verdict }) => verdict)).toEqual(['agrees']);
  });

  it('are printed with when they were, and who held the loop', () => {
    expect(corroborationText(told, { width: 80, color: false }))
      .toBe(`  trace.json against recordings/run1: 4.0 s sampled of a run of 6.5 s.
                  table  samples            95 %
  event-loop lag  8.7 %   23.2 %  0.0 % – 26.5 %  agrees
  1 line agrees, 0 disagree.
  event-loop lag: held most by plan (robot.py), the garbage collector (8.3 % of
    it).

  Spikes one by one: the trace began 1.251 s before the recording (±3.00 ms);
    there 7 of the 7 longest inside it find the loop held for so long, and with
    any other offset at most 1.
   at s    trace  samples  held by
  0.701  88.0 ms  90.0 ms  JSONObject (json/decoder.py), from load_map  agrees
  1.831  64.0 ms  66.0 ms  no GIL, camera has it                        agrees
  2.111  58.0 ms  60.0 ms  no CPU in plan (robot.py)                    agrees
  0.101  50.0 ms  52.0 ms  Servo.read (raccoon/hal.py), from drive      agrees
  0.431  38.0 ms  40.0 ms  plan (robot.py), from drive                  agrees
  1.311  28.0 ms  30.0 ms  gc in plan (robot.py)                        agrees
  3.421  22.0 ms  24.0 ms  Servo.read (raccoon/hal.py), from drive      agrees
  7 of 7 spikes inside the recording agree; 2 more were outside of it.
  gc: garbage collection; no CPU: it waited for a CPU; no GIL: it waited for the
  GIL.
  -> profiler hot recordings/run1 --from 0.701 --to 0.789
  Note: Nothing in the log says of which process and machine it is: that both
    are of one run is taken on trust. The dump of MuJoCo timers says it; roqsim
    and FlyGym do not.
`);
  });

  it('are the same in JSON', () => {
    const { spikes: json } = JSON.parse(corroborationJson(told)) as { spikes: { each: readonly unknown[] } };
    expect(json).toMatchObject({
      count: 9,
      offset: { s: -1.251, doubtS: 0.003 },
      search: { looked: 9, inside: 7, fits: 7, next: { fits: 1 } },
      inside: 7,
    });
    expect(json.each[3]).toEqual({
      fromS: 0.101,
      toS: 0.151,
      atUs: 1_402_000,
      tableUs: 50_000,
      samples: us(52),
      held: {
        kind: 'function',
        share: 1,
        place: 'Servo.read (raccoon/hal.py)',
        caller: 'drive (robot.py)',
      },
      verdict: 'agrees',
    });
  });

  it('are no more than ten on the screen, and the rest one line', () => {
    const many = Array.from({ length: 14 }, (_, at): Held => {
      const from = 60 + at * 240 + ((at * at * 37) % 101);
      return { from: from - (from % 2), to: from - (from % 2) + 60 - 2 * at, stack: SERVO };
    });
    const answer = answered(trace(spikesOf(many), 6500), lateRun(many));
    const text = corroborationText({ ...told, ...answer }, { width: 80, color: false });
    expect(text.match(/^ +\d\.\d{3} .* Servo\.read .*$/gm)?.length).toBe(10);
    expect(text).toContain('  … 4 shorter ones, 140 ms together; 4 of them agree.\n');
    expect(text).toContain('  14 of 14 spikes inside the recording agree.\n');
  });
});

describe('spikes of a Node program', () => {
  const JS_WAIT = '(idle)';
  const TICK = 'listOnTimeout (node:internal/timers:588)';
  const READ = `${TICK};drive (/srv/mission.mjs:40);Servo.read (/srv/node_modules/gpio/servo.js:9)`;
  const BLOCKS = HELD.map(({ from, to }, at) => ({
    from,
    to,
    stack: at === 2 ? '(garbage collector)' : READ,
  }));

  it('are held against what V8 saw', () => {
    const answer = answered(trace(spikesOf(BLOCKS), 6500), lateRun(BLOCKS, { node: JS_WAIT }));
    expect(answer.spikes?.search).toMatchObject({ fits: 7, inside: 7 });
    expect(answer.spikes?.each?.map(({ held }) => held).slice(0, 2)).toEqual([
      { kind: 'gc', share: 1, place: '(garbage collector)' },
      {
        kind: 'function',
        share: 1,
        place: 'Servo.read (/srv/node_modules/gpio/servo.js)',
        caller: 'drive (/srv/mission.mjs)',
      },
    ]);
    expect(answer.lines).toMatchObject([{ verdict: 'agrees', table: { value: 0.087 } }]);
  });
});

describe('a spike that samples do not bear out', () => {
  const MORE: readonly Spike[] = [[2750 + BEFORE, 45]];
  const odd = (held: readonly Held[], unseen = { from: 0, to: 0 }) => {
    const answer = answered(
      trace(inOrder([...MORE, ...spikesOf(HELD)]), 6500),
      lateRun([...HELD, ...held], { unseen }),
    );
    const line = answer.spikes?.each?.find(({ tableUs }) => tableUs === 45_000);
    return { line, ids: answer.findings.map(({ id }) => id) };
  };

  it('is one in which the loop waited', () => {
    const { line, ids } = odd([]);
    expect(line).toEqual({
      fromS: 2.704,
      toS: 2.749,
      atUs: 4_000_000,
      tableUs: 45_000,
      samples: { value: 0, low: 0, high: 0 },
      verdict: 'disagrees',
      reason:
        'the loop waited for its next turn in 100.0 % of it: the kernel woke it late, or what was late is a loop in another thread',
    });
    expect(ids[0]).toBe('spikes-disagree');
  });

  it('is one that several callbacks made', () => {
    const { line } = odd([
      { from: 2704, to: 2724, stack: SERVO },
      { from: 2726, to: 2750, stack: PLAN },
    ]);
    expect(line).toMatchObject({
      verdict: 'disagrees',
      samples: us(24),
      held: { place: 'plan (robot.py)' },
      reason:
        'samples saw the loop turn meanwhile: several callbacks held it one after the other, none of them for so long',
    });
  });

  it('is nothing to be said of where no sample was taken', () => {
    const { line, ids } = odd([], { from: 2700, to: 2752 });
    expect(line).toMatchObject({
      verdict: 'not-comparable',
      reason:
        'no sample was taken for 45.0 ms of it: the machine had no CPU for the sampler either, or stood still',
    });
    expect(ids).not.toContain('spikes-disagree');
  });

  it('is none that is held in one function before and after that', () => {
    const { line } = odd([{ from: 2704, to: 2750, stack: SERVO }], { from: 2710, to: 2740 });
    expect(line).toMatchObject({ verdict: 'agrees', samples: us(46) });
  });
});

/** Why spikes are not compared one by one. */
function unknown(log: string, run: ReturnType<typeof lateRun>): string | undefined {
  const { spikes: none } = answered(log, run);
  expect(none?.each).toBeUndefined();
  return none?.unknown;
}

describe('the clocks stay unknown', () => {
  it('of spikes that come periodically, though all of them fit', () => {
    const periodic = Array.from({ length: 8 }, (_, at) => ({
      from: 200 + at * 400,
      to: 250 + at * 400,
      stack: SERVO,
    }));
    expect(unknown(trace(spikesOf(periodic), 6500), lateRun(periodic))).toBe(
      '8 of 8 fit at one offset between both clocks, but 7 at one 400 ms away, as of spikes that come at regular times',
    );
    // Three of them, and three of many.
    const three = periodic.slice(0, 3);
    expect(unknown(trace(spikesOf(three), 6500), lateRun(three))).toContain('3 of 3 fit');
    expect(unknown(trace(spikesOf(periodic), 6500), lateRun(three))).toContain('3 of 3 fit');
  });

  it('of patterns that come again', () => {
    const pattern = [0, 1].flatMap((turn) =>
      HELD.slice(0, 4).map(({ from, to, stack }) => ({
        from: from + turn * 1700,
        to: to + turn * 1700,
        stack,
      })),
    );
    const once = pattern.slice(0, 4);
    expect(unknown(trace(spikesOf(once), 6500), lateRun(pattern))).toContain('but 4 at one 1.70 s away');
  });

  it('of another run', () => {
    const others: readonly Spike[] = [
      [1700, 71],
      [2340, 36],
      [3000, 45],
      [4480, 28],
    ];
    expect(unknown(trace(others, 6500), lateRun(HELD))).toBe(
      'no offset between both clocks puts enough of the 4 longest where the loop was held for so long: at best 1 of 1 that would be inside the recording',
    );
  });

  it('of too few', () => {
    expect(unknown(trace(spikesOf(HELD.slice(0, 2)), 6500), lateRun(HELD))).toBe(
      '2 spikes would fit by chance: it takes 3',
    );
  });

  it('without times of samples, and without a loop', () => {
    expect(unknown(trace(spikesOf(HELD), 6500), lateRun(HELD, { timed: false }))).toBe(
      'samples of this backend have no times: record with --backend cpython',
    );
    const busy: readonly Held[] = [{ from: 0, to: 5000, stack: 'main (sim.py:3)' }];
    expect(unknown(trace(spikesOf(HELD), 6500), lateRun(busy))).toBe(
      'no sample is in the wait of an event loop: is it the recording of that program?',
    );
  });

  it('and the sum is compared instead, with the reason', () => {
    const answer = answered(trace(spikesOf(HELD.slice(0, 2)), 6500), lateRun(HELD));
    expect(answer.lines.map(({ verdict }) => verdict)).toEqual(['agrees']);
    expect(corroborationText({ ...told, ...answer }, { width: 80, color: false })).toContain(
      `  Spikes are compared in sum, not one by one: 2 spikes would fit by chance: it
    takes 3.
`,
    );
  });
});
