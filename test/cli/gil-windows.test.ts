import { describe, expect, it } from 'vitest';
import { answer } from '../../src/cli/answer.js';
import type { Loaded } from '../../src/cli/source.js';
import { readProfile } from '../../src/formats/index.js';
import { threadsJson, threadsText } from '../../src/report/index.js';
import { builtInPacks, compileRules } from '../../src/rules/index.js';
import { contendedFile, contendedRecording } from '../gil-contention.js';
import { loadedRecording } from '../loaded-recording.js';
import { recording, slice, threadAccounting } from '../recording/example.js';
import { SamplesFile } from '../samples-file.js';

const OPTIONS = { ruleSet: compileRules(builtInPacks) };
const WIDE = { width: 2000, color: false };

function mille({ share }: { readonly share: number }): number {
  return Math.round(share * 1000);
}

describe.each([
  ['a recording', contendedRecording],
  ['a bare file', contendedFile],
] as const)('the GIL in %s whose samples tell who held it', (_, load) => {
  it('says when Python of another thread can run, and where that is', async () => {
    const [main] = answer(await load(), OPTIONS).threads;
    const { holds, computes, rests, waits, places } = main!.gilWindows!;
    expect([holds, computes, rests, waits].map(mille)).toEqual([310, 40, 450, 200]);
    expect(
      places.map(({ frame, bucket, ...shares }) => [
        frame.name,
        bucket,
        ...[shares.holds, shares.computes, shares.rests, shares.waits, shares.runs].map((share) =>
          mille({ share }),
        ),
      ]),
    ).toEqual([
      ['Pacer.wait', 'pacer', 0, 0, 345, 40, 0],
      ['Publisher.publish', 'publishing', 107, 0, 105, 0, 107],
      ['Engine.step', 'physics', 200, 40, 0, 160, 200],
    ]);
  });

  it('says in words who is in whose way', async () => {
    const found = answer(await load(), OPTIONS);
    const text = threadsText(found, WIDE);
    expect(text).toContain(
      [
        '  Python of another thread can run only while MainThread is without the GIL. It held the GIL 31.0 % of the time, waited 20.0 % for it, and had let go of it 49.0 %, 4.0 % at work and 45.0 % at rest: Pacer.wait (/app/roqsim/pacer.py) 34.5 %, Publisher.publish (/opt/rclpy/publisher.py) 10.5 %, Engine.step (/app/roqsim/engine.py) 4.0 %.',
        '  planner and MainThread were on a CPU at the same moment 0.0 % of the time (0.0–0.5).',
        '  Of the time that it wanted to run, MainThread ran 56.4 %, waited 36.4 % for the GIL because of planner and 7.3 % for a CPU; planner ran 61.7 %, waited 32.1 % for the GIL because of MainThread and 6.3 % for a CPU. So each holds up the other.',
        '',
      ].join('\n'),
    );
    expect(found.findings.map(({ id }) => id)).not.toContain('gil-convoy');
  });

  it('says it as JSON', async () => {
    const { threads } = JSON.parse(threadsJson(answer(await load(), OPTIONS)));
    expect(threads[0].gilRivalry).toBeUndefined();
    expect(threads[0].gilWindows).toMatchObject({
      holds: { share: 0.31 },
      computes: { share: 0.04 },
      rests: { share: 0.45 },
      waits: { share: 0.2 },
    });
    expect(threads[0].gilWindows.places[2]).toEqual({
      function: 'Engine.step',
      file: '/app/roqsim/engine.py',
      bucket: 'physics',
      holds: 0.2,
      computes: 0.04,
      rests: 0,
      waits: 0.16,
    });
    expect(threads[1].gilWindows).toBeUndefined();
    expect(threads[1].gilRivalry).toMatchObject({
      looks: 1000,
      both: { share: 0, low: 0 },
      open: { looks: 0, running: 0, gilWait: 0, cpuWait: 0 },
      physics: { wanted: 0.55, ran: 0.563636, gilWait: 0.363636, cpuWait: 0.072727 },
      itself: { wanted: 0.957, gilWait: 0.320794 },
      verdict: 'each-other',
      starves: false,
    });
  });
});

const STEP = '<module> /app/run.py:9;step /app/run.py:5';
const SPIN = 'Thread.run /usr/lib/threading.py:982;Worker.compute /app/run.py:40';
const SPINS = 'Thread.run /usr/lib/threading.py:982;MultiThreadedExecutor.spin /opt/rclpy/executors.py:340';

type Looks = readonly [count: number, holder: number | undefined, main: string, worker: string];

/** A loop that makes one step a call (or whose worker waits for a GIL that is free), beside a worker, an executor that waits and a native thread. */
async function stepping(looks: readonly Looks[], executor = 'S'): Promise<Loaded> {
  const file = new SamplesFile();
  const [main, worker, spins] = [
    file.thread({ tid: 11, name: 'MainThread' }),
    file.thread({ tid: 12, name: 'worker' }),
    file.thread({ tid: 13, name: 'Thread-1 (spin)' }),
  ];
  const [step, spin, wait] = [file.stack(STEP), file.stack(SPIN), file.stack(SPINS)];
  const counted = { main: { R: 0, W: 0 }, worker: { R: 0, W: 0 } };
  let all = 0;
  for (const [count, holder, own, other] of looks) {
    all += count;
    for (const [who, state] of [
      ['main', own],
      ['worker', other],
    ] as const)
      if (state === 'R' || state === 'W') counted[who][state] += count;
    for (let look = 0; look < count; look += 1)
      file.tick(
        2_000_000,
        holder,
        `${main}${own}${step}v`,
        `${worker}${other}${spin}v`,
        `${spins}${executor}${wait}v`,
      );
  }
  const profile = await readProfile([new TextEncoder().encode(file.text({ ticks: all, dueTicks: all }))], {});
  const wallNs = 2e9;
  const account = (tid: number, name: string, on: number, waits: number, voluntarySwitches = 0) =>
    threadAccounting({
      tid,
      name,
      wallNs,
      onCpuNs: on * wallNs,
      cpuWaitNs: waits * wallNs,
      voluntarySwitches,
    });
  const made = recording({
    backend: 'cpython',
    rateHz: 500,
    sources: { '/app/run.py': { short: '/app/run.py', lines: { '5': 'mujoco.mj_step(model, data)' } } },
    slices: [
      slice({
        file: 'slices/000.samples',
        format: 'cpython',
        accounting: [
          account(11, 'MainThread', counted.main.R / all, counted.main.W / all, 620),
          account(12, 'worker', counted.worker.R / all, counted.worker.W / all),
          account(13, 'Thread-1 (spin)', executor === 'S' ? 0.002 : 0.2, 0.001),
          account(14, 'logger', 0.25, 0.05),
        ],
      }),
    ],
  });
  return loadedRecording(profile, made);
}

const CONVOY: readonly Looks[] = [
  [900, 1, 'G', 'R'],
  [60, 1, 'G', 'W'],
  [20, undefined, 'R', 'W'],
  [10, 1, 'R', 'R'],
  [10, 0, 'R', 'G'],
];

describe('a loop that makes one step a call beside a busy thread', () => {
  it('is told to wait in a convoy, with what a call of many steps allows', async () => {
    const found = answer(await stepping(CONVOY), OPTIONS);
    expect(found.findings.find(({ id }) => id === 'gil-convoy')).toEqual({
      level: 'note',
      id: 'gil-convoy',
      what: 'Where it steps (step (/app/run.py)), MainThread waits 96.0 % of the time to get the GIL back from worker, and is on a CPU 4.0 %. Both are on a CPU at once only 1.0 % of the time, although a step lets go of the GIL.',
      why: 'worker takes the GIL as soon as it has woken up after a step let go of it, and is made to give it back only after the switch interval (5 ms unless the program sets another). Here it left its CPU 310 times a second, for 3.1 ms on average. A call of many steps waits once for all of them: one that computes for 100 ms would step 95 % of the time, with worker beside it on another CPU.',
      fix: 'Call mujoco.mj_step(model, data, nstep=N) with as many steps as need no Python between them; or give worker a process of its own. sys.setswitchinterval(0.0005) helps calls of some milliseconds only.',
    });
    const text = threadsText(found, WIDE);
    expect(text).toContain(
      'While MainThread computed without the GIL (30 looks), worker ran 33.3 % (15.1–51.6), waited for the GIL 0.0 % and for a CPU 66.7 %.',
    );
    expect(text).toContain('So worker starves MainThread.');
  });

  it('is no convoy where it steps longer than it waits', async () => {
    const looks: readonly Looks[] = [
      [480, 1, 'G', 'R'],
      [520, 1, 'R', 'R'],
    ];
    const found = answer(await stepping(looks), OPTIONS);
    expect(found.findings.map(({ id }) => id)).not.toContain('gil-convoy');
    expect(threadsText(found, WIDE)).toContain('So worker holds up MainThread.');
  });

  it('is no convoy where the thread that was sampled is not to blame', async () => {
    const looks: readonly Looks[] = [
      [900, undefined, 'G', 'S'],
      [90, undefined, 'R', 'S'],
      [10, 1, 'R', 'R'],
    ];
    expect(answer(await stepping(looks), OPTIONS).findings.map(({ id }) => id)).not.toContain('gil-convoy');
  });
});

it('a thread that waits for a GIL that is free has missed it each time', async () => {
  const looks: readonly Looks[] = [
    [700, undefined, 'R', 'G'],
    [200, 0, 'R', 'G'],
    [100, 1, 'G', 'R'],
  ];
  const found = answer(await stepping(looks), OPTIONS);
  expect(found.findings.map(({ id }) => id)).not.toContain('gil-convoy');
  expect(found.findings.find(({ id }) => id === 'gil-windows-missed')).toMatchObject({
    level: 'note',
    what: 'MainThread computes 70.0 % of the time without the GIL, but worker still waits for it at 100.0 % of those moments, and runs at 0.0 %.',
  });
  expect(threadsText(found, WIDE)).toContain('So MainThread starves worker.');
});

describe('whether an executor is idle', () => {
  it.each([
    [
      'S',
      'was on a CPU 0.2 % of the time, waited 0.1 % for one and was blocked 99.7 %, as the kernel counts: so it hardly competes with others.',
    ],
    [
      'B',
      'was on a CPU 20.0 % of the time, waited 0.1 % for one and was blocked 79.9 %, as the kernel counts: so it is not idle.',
    ],
  ])('is the kernel to say (%s)', async (state, words) => {
    const text = threadsText(answer(await stepping(CONVOY, state), OPTIONS), WIDE);
    expect(text).toContain(`Thread-1 (spin) (executor) ${words}`);
  });

  it('is the kernel to say of a thread without samples, too', async () => {
    const found = answer(await stepping(CONVOY), OPTIONS);
    expect(threadsText(found, WIDE)).toContain(
      'One thread has no sample. What the kernel counts: logger was on a CPU 25.0 % of the time, waited 5.0 % for one and was blocked 70.0 %.',
    );
  });
});
