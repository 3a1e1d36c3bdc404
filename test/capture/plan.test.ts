import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CapturePlan, planCapture } from '../../src/capture/plan.js';
import { cpuFollowerArgv } from '../../src/capture/cpu-follower.js';
import type { PlannedRoute, RatedPlanRequest } from '../../src/capture/request.js';
import type { Realtime } from '../../src/target/index.js';

const CHRT = ['chrt', '-f', '50'];
const ALLOWED: Realtime = { allowed: true, argv: CHRT };
const REFUSED: Realtime = {
  allowed: false,
  refusedBy: 'limit',
  finding: { level: 'warning', id: 'realtime-limit', what: 'No.', why: 'A limit.' },
};

function directRoute(priority: readonly string[]): PlannedRoute {
  const commands = (args: readonly string[]): readonly (readonly string[])[] => [
    [...priority, '/opt/py-spy', ...args],
  ];
  return { id: 'direct', targetPid: 48211, output: 'file', commands };
}

const REQUEST: RatedPlanRequest = {
  route: directRoute(CHRT),
  realtime: ALLOWED,
  target: {
    pid: 48211,
    startTicks: 1,
    command: ['python3', 'run.py'],
    runtime: 'python',
    uid: 0,
    gid: 0,
    passedOver: [],
  },
  sampler: { path: '/opt/py-spy', version: '0.4.3' },
  durationS: 20,
  rateHz: 250,
  sliceS: 5,
  native: false,
  baselineS: 3,
  folder: '/tmp/rec',
};
const FOLLOWER = cpuFollowerArgv([], 48211).join(' ');

function planOf(wishes: Partial<RatedPlanRequest>): CapturePlan {
  return planCapture({ ...REQUEST, ...wishes }, '/usr/bin/node', '/x/main.js');
}

function argvs(wishes: Partial<RatedPlanRequest>): readonly string[] {
  return planOf(wishes).commands.map(({ argv }) => argv.join(' '));
}

function cost(wishes: Partial<RatedPlanRequest>): string {
  return planOf(wishes).cost;
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
    expect(argvs({ durationS: 4, realtime: REFUSED, route: directRoute([]) })).toEqual([
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
    const plan = planOf({});
    expect(plan.cpuFollower).toBe(plan.commands[1]);
    const argv = plan.cpuFollower?.argv ?? [];
    expect(argv.slice(0, 6)).toEqual([...CHRT, 'python3', '-I', '-S']);
    expect(argv.slice(6)).toEqual([expect.stringMatching(/\/capture\/cpu_follower\.py$/), '48211']);
    expect(readFileSync(argv[6] ?? '', 'utf8')).toContain('os.sched_setaffinity(');
    const native = planOf({ native: true });
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
    const plan = planOf({ durationS, sliceS });
    expect(plan.slices.map((slice) => slice.seconds)).toEqual(seconds);
  });

  it('goes by any route: its number for the target, its output, and what it does first', () => {
    const route: PlannedRoute = {
      id: 'exec',
      targetPid: 27,
      output: 'stderr',
      commands: (args) => [
        ['docker', 'cp', '/opt/py-spy', 'sim:/tmp/py-spy'],
        ['docker', 'exec', 'sim', '/tmp/py-spy', ...args],
      ],
    };
    const record = 'record --pid 27 --idle --threads --nonblocking --full-filenames -f raw -r 250';
    const plan = planOf({ route, durationS: 8, sliceS: 4 });
    expect(plan.route).toBe('exec');
    expect(plan.commands.slice(2).map(({ argv }) => argv.join(' '))).toEqual([
      'docker cp /opt/py-spy sim:/tmp/py-spy',
      `docker exec sim /tmp/py-spy ${record} -d 4 -o /dev/stderr`,
      `docker exec sim /tmp/py-spy ${record} -d 6 -o /dev/stderr`,
    ]);
    expect(plan.slices[0]?.args.join(' ')).toBe(`${record} -d 4 -o /dev/stderr`);
  });

  it('never asks for the holder of the GIL only', () => {
    expect([...argvs({}), ...argvs({ native: true })].join(' ')).not.toContain('--gil');
  });

  it('states what native frames cost', () => {
    expect(cost({ native: true })).toBe(
      'Every sample stops all threads of the target for about 0.5 ms (ptrace): at 250 Hz about 13 % of its time, booked as blocked.',
    );
    expect(cost({})).toBe(
      'Nothing is stopped by a signal or a tracer. The sampler takes 5 to 15 % of one core at 250 Hz; a loop that never sleeps loses up to 15 % of its speed meanwhile, one that sleeps in its pacer about 1 %.',
    );
  });

  it('names its commands', () => {
    const plan = planOf({ durationS: 10 });
    expect(plan.commands.map(({ purpose }) => purpose)).toEqual([
      'read the state of the threads up to 250 times a second, while they block at all (GIL wait, sleep, the rest)',
      'keep the sampler on the CPU of a physics thread that never sleeps, which then waits while it is read',
      'sample every thread, slice 1 of 2',
      'sample every thread, slice 2 of 2, ended by SIGINT after 10 s in all',
    ]);
  });
});
