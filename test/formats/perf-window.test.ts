import { expect, it } from 'vitest';
import { readPerfWindow, readProfile } from '../../src/formats/index.js';
import { foldedLines } from '../../src/model/index.js';
import { bytes } from './reading.js';

const STACK = '\t    7f00 step+0x1 (/opt/sim)\n\t    7f01 main+0x1 (/opt/sim)\n\n';
const LEAVING = (state: string, leaf: string) =>
  `sim 5 2.000000: 1 sched:sched_switch: prev_comm=sim prev_pid=5 prev_prio=120 prev_state=${state} ==> next_comm=x next_pid=6 next_prio=120\n\tffffffff81000001 __schedule+0x1 ([kernel.kallsyms])\n\tffffffff81000002 ${leaf}+0x1 ([kernel.kallsyms])\n${STACK}`;

/** 100 samples a second, from the first to the eleventh second. */
function folded(text: string) {
  return readPerfWindow([bytes(text)], { rateHz: 100, startNs: 1e9, endNs: 11e9 });
}

const SLEEPS_AND_WAITS =
  `sim 5 1.100000: 1 cpu-clock: \n${STACK}` +
  `sim 5 1.110000: 1 cpu-clock: \n${STACK}` +
  LEAVING('S', 'do_nanosleep') +
  'sim 5 2.000000: PERF_RECORD_SWITCH OUT\n' +
  'sim 5 4.500000: PERF_RECORD_SWITCH IN\n' +
  LEAVING('R', 'do_nanosleep') +
  'sim 5 5.000000: PERF_RECORD_SWITCH OUT preempt\n' +
  'sim 5 5.500000: PERF_RECORD_SWITCH IN\n' +
  // Nobody recorded with what stack it left, and it never came back.
  'sim 5 10.000000: PERF_RECORD_SWITCH OUT\n' +
  // Known from its return alone: it was away since before the window.
  'lidar 7 3.000000: PERF_RECORD_SWITCH IN\n' +
  'no line of perf\n';

it('counts time off a CPU by the stack that left it, at the rate of the samples, and waits for a CPU under a leaf of their own', async () => {
  const { profile, ...told } = await folded(SLEEPS_AND_WAITS);
  expect([...foldedLines(profile)]).toEqual([
    'thread (5): sim;main (sim);step (sim);do_nanosleep_[k] 250',
    'thread (7): lidar 200',
    'thread (5): sim 100',
    'thread (5): sim;main (sim);step (sim);do_nanosleep_[k];[waiting for a CPU] 50',
    'thread (5): sim;main (sim);step (sim) 2',
  ]);
  expect(told).toEqual({ onCpu: 2, lost: 0, throttled: 0, noise: 1 });
});

it('its folded text read again gives the same stacks', async () => {
  const { profile } = await folded(SLEEPS_AND_WAITS);
  const text = [...foldedLines(profile)].join('\n');
  const again = await readProfile([bytes(text)], { path: 'x' }, { format: 'pyspy-raw' });
  expect([...foldedLines(again)]).toEqual([...foldedLines(profile)]);
  expect(again.frames).toEqual(
    expect.arrayContaining([...profile.frames, { name: 'do_nanosleep', kind: 'kernel' }]),
  );
  expect(again.frames).toHaveLength(profile.frames.length);
});

it('a thread cannot name itself like a frame', async () => {
  const { profile } = await folded(`a;f (b.py:1) 5 1.100000: 1 cpu-clock: \n${STACK}`);
  expect([...foldedLines(profile)]).toEqual(['thread (5): a:f (b.py:1);main (sim);step (sim) 1']);
});

it('a switch of the idle task is nobody’s', async () => {
  const { profile } = await folded('swapper 0 2.000000: PERF_RECORD_SWITCH IN\n');
  expect(profile.threads).toEqual([]);
});
