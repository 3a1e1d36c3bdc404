import { describe, expect, it } from 'vitest';
import { nsysAnswer, type NsysEvents } from '../../src/simulator/index.js';

const US = 1000;

type Device = NsysEvents['device'][number];
type Call = NsysEvents['calls'][number];

const kernel = (startUs: number, us: number, more: Partial<Device> = {}): Device => ({
  kind: 'kernel',
  name: 'k',
  startNs: startUs * US,
  endNs: (startUs + us) * US,
  ...more,
});

const call = (name: string, startUs: number, us: number, more: Partial<Call> = {}): Call => ({
  name,
  startNs: startUs * US,
  endNs: (startUs + us) * US,
  thread: 1,
  ...more,
});

const range = (name: string, startUs: number, us: number): NsysEvents['ranges'][number] => ({
  name,
  startNs: startUs * US,
  endNs: (startUs + us) * US,
});

function events(some: Partial<NsysEvents>): NsysEvents {
  const has = new Set(['kernels', 'calls', 'waits', 'ranges'] as const);
  return { device: [], calls: [], ranges: [], os: [], gpus: [], has, unreadable: 0, ...some };
}

const ids = (some: Partial<NsysEvents>) => nsysAnswer(events(some))?.findings.map(({ id }) => id);
const finding = (id: string, some: Partial<NsysEvents>) =>
  nsysAnswer(events(some))?.findings.find((one) => one.id === id);

/** 100 launches 20 us apart, each of a kernel of 3 us. */
const many = Array.from({ length: 100 }, (_, at) => at);
const LAUNCH_BOUND = {
  device: many.map((at) => kernel(at * 20 + 10, 3, { launch: at })),
  calls: many.map((at) => call('cudaLaunchKernel', at * 20, 9, { launch: at })),
  ranges: [range('timed_run', 0, 2000)],
};

describe('how busy the GPU is', () => {
  it('is the union of kernels and copies: streams that overlap are not counted twice', () => {
    const answer = nsysAnswer(
      events({
        device: [
          kernel(0, 10),
          kernel(5, 10, { name: 'on another stream' }),
          kernel(20, 5, { kind: 'copy', name: '[CUDA memcpy]' }),
          kernel(39, 1),
        ],
      }),
    );
    expect(answer).toMatchObject({ window: { us: 40, by: 'all' }, gpuBusyUs: 21, gpuBusyShare: 0.525 });
  });

  it('is of the busiest of several GPUs', () => {
    const answer = nsysAnswer(
      events({
        device: [kernel(0, 10, { device: 0 }), kernel(0, 40, { device: 1 }), kernel(50, 50, { device: 0 })],
      }),
    );
    expect(answer).toMatchObject({ gpus: 2, gpuBusyUs: 60, gpuBusyShare: 0.6 });
    expect(answer?.findings[0]?.what).toMatch(/^The busiest of 2 GPUs is busy 60\.0 % of 100 \u00B5s/);
  });

  it('is only within the window', () => {
    const answer = nsysAnswer(
      events({
        device: [kernel(0, 30), kernel(45, 10), kernel(90, 50)],
        ranges: [range('timed_run', 50, 50)],
      }),
    );
    expect(answer).toMatchObject({ window: { us: 50, by: 'timed_run' }, gpuBusyUs: 15, gpuBusyShare: 0.3 });
  });

  it('is not told of a capture without work of the GPU', () => {
    expect(nsysAnswer(events({ calls: [call('cudaLaunchKernel', 0, 5)] }))).toBeUndefined();
  });
});

describe('what the loop waits for', () => {
  it('launches: the GPU waits, the host does not', () => {
    const answer = nsysAnswer(events(LAUNCH_BOUND));
    expect(answer).toMatchObject({
      bound: 'launch',
      gpuBusyShare: 0.15,
      launches: { count: 100, apartUs: 20, hostUs: 9, deviceUs: 3 },
      kernels: { count: 100, meanUs: 3, shortShare: 1 },
      hostWait: { us: 0, share: 0, calls: 0 },
    });
    expect(answer?.findings[0]).toMatchObject({
      level: 'warning',
      id: 'gpu-launch-bound',
      what: 'The GPU is busy 15.0 % of 2.00 ms (the range timed_run, with the work that it started); 100 calls that launch, one each 20.0 \u00B5s, with 3.00 \u00B5s of work in each; 100.0 % of the kernels take less than 10.0 \u00B5s.',
    });
  });

  it('kernels: the GPU hardly rests', () => {
    const device = many.map((at) => kernel(at * 20, 18, { launch: at }));
    const answer = nsysAnswer(events({ ...LAUNCH_BOUND, device }));
    expect(answer?.bound).toBe('kernel');
    expect(answer?.gpuBusyShare).toBe(0.9);
    expect(answer?.findings[0]?.id).toBe('gpu-kernel-bound');
  });

  it('copies: the GPU hardly rests, and mostly moves memory', () => {
    const device = many.flatMap((at) => [
      kernel(at * 20, 4, { launch: at }),
      kernel(at * 20 + 4, 16, { kind: 'copy', name: '[CUDA memcpy]' }),
    ]);
    const answer = nsysAnswer(events({ ...LAUNCH_BOUND, device }));
    expect(answer).toMatchObject({ bound: 'copy', gpuBusyShare: 1, kernelShare: 0.2 });
    expect(answer?.findings[0]).toMatchObject({
      level: 'warning',
      id: 'gpu-copy-bound',
      what: 'The GPU is busy 100.0 % of 2.00 ms (the range timed_run, with the work that it started); kernels run in 20.0 % of that.',
    });
  });

  it('neither, where the host waits after each launch', () => {
    const calls = many.flatMap((at) => [
      call('cudaLaunchKernel', at * 20, 2, { launch: at }),
      call('cudaStreamSynchronize', at * 20 + 2, 12),
    ]);
    const answer = nsysAnswer(events({ ...LAUNCH_BOUND, calls }));
    expect(answer?.bound).toBeUndefined();
    expect(answer?.hostWait).toEqual({ us: 1200, share: 0.6, calls: 100, names: ['cudaStreamSynchronize'] });
    expect(answer?.findings.slice(0, 2).map(({ id }) => id)).toEqual([
      'gpu-busy-in-part',
      'host-waits-for-gpu',
    ]);
  });

  it('is left open where nobody knows whether the host waited', () => {
    const has = new Set(['kernels'] as const);
    const answer = nsysAnswer(events({ device: LAUNCH_BOUND.device, ranges: LAUNCH_BOUND.ranges, has }));
    expect(answer?.bound).toBeUndefined();
    expect(answer?.hostWait).toBeUndefined();
  });
});

describe('the wait of the host', () => {
  it('is of the thread that launches, clipped to the window', () => {
    const calls = [
      call('cudaGraphLaunch', 10, 1),
      call('cudaGraphLaunch', 12, 1),
      call('cudaDeviceSynchronize', 0, 4),
      call('cudaDeviceSynchronize', 4, 5),
      call('cudaDeviceSynchronize', 80, 40),
      call('cudaEventSynchronize', 10, 90, { thread: 2 }),
    ];
    const answer = nsysAnswer(
      events({ device: [kernel(10, 80)], calls, ranges: [range('timed_run', 5, 95)] }),
    );
    // 5 to 9, and 80 to 100
    expect(answer?.hostWait).toEqual({ us: 24, share: 24 / 95, calls: 2, names: ['cudaDeviceSynchronize'] });
  });
});

describe('the warm-up', () => {
  const device = [kernel(0, 100), ...many.map((at) => kernel(200 + at * 10, 5))];

  it.each([
    ['timed_run', [range(':warmup', 0, 150), range(':timed_run', 190, 1000)], [], 190, 1000],
    ['warmup', [range('warmup', 0, 150)], [], 150, 1045],
    ['step', [0, 1, 2, 3].map((at) => range('step', 200 + at * 100, 90)), [], 300, 290],
    ['preparation', [], [call('cuModuleLoadData', 10, 90), call('cudaGraphInstantiate', 160, 20)], 180, 1015],
    ['all', [], [call('cudaLaunchKernel', 0, 5)], 0, 1195],
  ] as const)('is told apart by %s', (by, ranges, calls, startUs, us) => {
    const answer = nsysAnswer(events({ device, ranges, calls }));
    expect(answer?.window).toEqual({ us, by });
    expect(answer?.warmUp?.us).toBe(by === 'all' ? undefined : startUs);
    expect(
      answer?.findings.some(({ id }) => id === (by === 'all' ? 'warm-up-unknown' : 'warm-up-apart')),
    ).toBe(true);
  });

  it('code that is loaded late does not make the loop warm-up', () => {
    const answer = nsysAnswer(events({ device, calls: [call('cuModuleLoadData', 1100, 20)] }));
    expect(answer?.window.by).toBe('all');
  });

  it('a first call that stands out is named, one of few calls is not', () => {
    expect(finding('first-call-stands-out', { device })?.what).toBe(
      'The first call of k took 100 \u00B5s, the median of the others is 5.00 \u00B5s.',
    );
    expect(ids({ device: device.slice(0, 5) })).not.toContain('first-call-stands-out');
  });
});

describe('a step range', () => {
  const steps = [0, 1, 2].map((at) => range('step', at * 50, 40));
  const calls = [0, 1, 2].map((at) => call('cudaGraphLaunch', at * 50 + 5, 30, { launch: at }));

  it('that holds only the launch is a trap', () => {
    const device = [0, 1, 2].flatMap((at) => [
      kernel(20 + at * 600, 400, { launch: at }),
      kernel(420 + at * 600, 190, { launch: at }),
    ]);
    const answer = nsysAnswer(events({ device, calls, ranges: [...steps, range('timed_run', 0, 150)] }));
    // The second of three ends at 1210, its range at 90.
    expect(answer?.step).toEqual({ count: 3, hostUs: 40, deviceUs: 590, lateUs: 1120 });
    // The window lasts until the work is done.
    expect(answer?.window.us).toBe(1810);
    expect(answer?.findings.find(({ id }) => id === 'step-range-host-only')).toMatchObject({
      what: 'A step range takes 40.0 \u00B5s, the kernels of a step 590 \u00B5s of the GPU, and end 1.12 ms after it (3 steps).',
      fix: 'nsys stats --report nvtx_gpu_proj_sum FILE.nsys-rep',
    });
  });

  it('that holds the work too is none', () => {
    const device = [0, 1, 2].map((at) => kernel(at * 50 + 10, 25, { launch: at }));
    const some = { device, calls, ranges: [...steps, range('timed_run', 0, 150)] };
    expect(nsysAnswer(events(some))?.step).toEqual({ count: 3, hostUs: 40, deviceUs: 25, lateUs: 0 });
    expect(ids(some)).not.toContain('step-range-host-only');
  });

  it('of another thread has not launched it', () => {
    const device = [0, 1, 2].map((at) => kernel(at * 50 + 10, 25, { launch: at }));
    const others = steps.map((one) => ({ ...one, thread: 7 }));
    const some = { device, calls, ranges: [...others, range('timed_run', 0, 150)] };
    // On average: 75 us of the GPU for three steps.
    expect(nsysAnswer(events(some))?.step).toEqual({ count: 3, hostUs: 40, deviceUs: 25 });
    expect(ids(some)).toContain('steps-not-joined');
  });
});
