import { describe, expect, it } from 'vitest';
import { planCapture } from '../../src/capture/plan.js';
import { cpuFollowerArgv } from '../../src/capture/cpu-follower.js';
import type { RatedRequest } from '../../src/capture/request.js';

const REQUEST: RatedRequest = {
  target: {
    pid: 48211,
    startTicks: 1,
    command: ['python3', 'run.py'],
    runtime: 'python',
    uid: 0,
    gid: 0,
    passedOver: [],
  },
  pyspy: { path: '/opt/py-spy', version: '0.4.3' },
  durationS: 20,
  rateHz: 250,
  sliceS: 5,
  native: false,
  baselineS: 3,
  folder: '/tmp/rec',
};
const CHRT = ['chrt', '-f', '50'];
const FOLLOWER = cpuFollowerArgv([], 48211).join(' ');

function argvs(wishes: Partial<RatedRequest>, priority: readonly string[] = CHRT): readonly string[] {
  const plan = planCapture({ ...REQUEST, ...wishes }, { priority }, '/usr/bin/node', '/x/main.js');
  return plan.commands.map(({ argv }) => argv.join(' '));
}

function cost(wishes: Partial<RatedRequest>): string {
  return planCapture({ ...REQUEST, ...wishes }, { priority: [] }, 'node', 'main.js').cost;
}

describe('the plan', () => {
  it('is exactly what runs, slice by slice, with a last slice that is ended on measured time', () => {
    const common =
      '/opt/py-spy record --pid 48211 --idle --threads --nonblocking --full-filenames -f raw -r 250';
    expect(argvs({})).toEqual([
      'chrt -f 50 /usr/bin/node /x/main.js 48211',
      `chrt -f 50 ${FOLLOWER}`,
      `chrt -f 50 ${common} -d 5 -o /tmp/rec/slices/000.raw`,
      `chrt -f 50 ${common} -d 5 -o /tmp/rec/slices/001.raw`,
      `chrt -f 50 ${common} -d 5 -o /tmp/rec/slices/002.raw`,
      `chrt -f 50 ${common} -d 8 -o /tmp/rec/slices/003.raw`,
    ]);
  });

  it('leaves chrt out where real-time priority is refused', () => {
    expect(argvs({ durationS: 4 }, [])).toEqual([
      '/usr/bin/node /x/main.js 48211',
      FOLLOWER,
      '/opt/py-spy record --pid 48211 --idle --threads --nonblocking --full-filenames -f raw -r 250 -d 6 -o /tmp/rec/slices/000.raw',
    ]);
  });

  it('records native frames in blocking mode, which py-spy demands', () => {
    expect(argvs({ native: true, durationS: 5, rateHz: 100 })).toEqual([
      'chrt -f 50 /usr/bin/node /x/main.js 48211',
      'chrt -f 50 /opt/py-spy record --pid 48211 --idle --threads --native --full-filenames -f raw -r 100 -d 7 -o /tmp/rec/slices/000.raw',
    ]);
  });

  it('has the CPU follower as what it starts and as what it prints, and none in blocking mode', () => {
    const plan = planCapture(REQUEST, { priority: CHRT }, 'node', 'main.js');
    expect(plan.cpuFollower).toBe(plan.commands[1]);
    const argv = plan.cpuFollower?.argv ?? [];
    expect(argv.slice(0, 7)).toEqual([...CHRT, 'python3', '-I', '-S', '-c']);
    expect(argv[7]).toContain('os.sched_setaffinity(');
    expect(argv.slice(8)).toEqual(['48211']);
    const native = planCapture({ ...REQUEST, native: true }, { priority: CHRT }, 'node', 'main.js');
    expect(native.cpuFollower).toBeUndefined();
    expect(native.commands.flatMap(({ argv: words }) => words)).not.toContain('python3');
  });

  it('gives the last slice more room at a lower rate, whose random gaps are longer', () => {
    expect(argvs({ durationS: 5, rateHz: 125 }).at(-1)).toContain(' -r 125 -d 7 ');
    expect(argvs({ durationS: 5, rateHz: 10 }).at(-1)).toContain(' -r 10 -d 9 ');
  });

  it.each([
    [1, 5, [3]],
    [7, 5, [9]],
    [8, 5, [5, 5]],
    [10.5, 5, [5, 8]],
    [12, 2.4, [2, 2, 2, 2, 2, 4]],
    [3, 0.2, [1, 1, 3]],
  ])('cuts %d s into slices of %d s', (durationS, sliceS, seconds) => {
    const plan = planCapture({ ...REQUEST, durationS, sliceS }, { priority: [] }, 'node', 'main.js');
    expect(plan.slices.map((slice) => slice.seconds)).toEqual(seconds);
  });

  it('never asks for the holder of the GIL only', () => {
    expect([...argvs({}), ...argvs({ native: true })].join(' ')).not.toContain('--gil');
  });

  it('states what native frames cost', () => {
    expect(cost({ native: true })).toBe(
      'Every sample stops all threads of the target for about 0.5 ms (ptrace): at 250 Hz about 13 % of its time, booked as blocked.',
    );
    expect(cost({})).toBe(
      'Nothing is stopped. The sampler takes 5 to 15 % of one core at 250 Hz; a loop that never sleeps loses as much of its speed meanwhile, one that sleeps in its pacer nothing.',
    );
  });

  it('names its commands', () => {
    const plan = planCapture({ ...REQUEST, durationS: 10 }, { priority: [] }, 'node', 'main.js');
    expect(plan.commands.map(({ purpose }) => purpose)).toEqual([
      'read the state of the threads up to 250 times a second, while they block at all (GIL wait, sleep, the rest)',
      'keep the sampler on the CPU of the physics thread, which then stands still while it is read',
      'sample every thread, slice 1 of 2',
      'sample every thread, slice 2 of 2, ended by SIGINT after 10 s in all',
    ]);
  });
});
