import type { Finding } from '../../src/model/index.js';
import type { Breakdown, BucketAnswer, Hot, ThreadAnswer } from '../../src/report/index.js';
import { estimateThread } from '../../src/stats/index.js';
import type { EstimateInput, SampleCount } from '../../src/stats/index.js';

/** A thread's answer from counts, as the command line makes it, without remedies. */
export function threadAnswer(
  facts: Partial<ThreadAnswer>,
  counts: readonly SampleCount[],
  input: Partial<EstimateInput> = {},
): ThreadAnswer {
  const base = { lostTicks: 0, priority: 'fifo', ...input } as const;
  const parts = estimateThread({ ...base, counts });
  const whole = estimateThread({
    ...base,
    counts: counts.map(({ bucket, leaf, samples }) => ({ bucket, leaf, samples })),
  });
  return {
    thread: { tid: 48211, nsTid: 27, name: 'MainThread' },
    index: 0,
    role: 'physics',
    ...(whole.totals === undefined ? {} : { totals: whole.totals }),
    estimate: whole,
    buckets: whole.rows.map((row): BucketAnswer => ({
      ...row,
      parts: parts.rows.filter((part) => part.bucket === row.bucket),
      remedies: [],
    })),
    unclassified: [],
    ...facts,
  };
}

export const PACED_COUNTS: readonly SampleCount[] = [
  { bucket: 'physics', leaf: 'work', samples: 300 },
  { bucket: 'raycast', label: 'lidar', leaf: 'work', samples: 60 },
  { bucket: 'publishing', kind: 'message-build', label: 'LaserScan', leaf: 'work', samples: 40 },
  { bucket: 'publishing', kind: 'serialize', label: '/clock', leaf: 'work', samples: 20 },
  { bucket: 'pacer', leaf: 'sleep', samples: 580 },
];

export const PACED_TOTALS = {
  wallS: 20,
  onCpu: 0.412,
  cpuWait: 0.013,
  blocked: 0.575,
  gilWait: 0.002,
  sleep: 0.565,
  otherBlocked: 0.008,
  voluntaryPerS: 500,
};

/** A paced simulation of which everything is known. */
export function pacedBreakdown(changes: Partial<Breakdown> = {}): Breakdown {
  return {
    source: { path: 'recordings/bridge', format: 'recording' },
    window: { wallS: 20, rateHz: 250, achievedRateHz: 249.5, ticks: 1000, errors: 0 },
    unit: 'samples',
    run: {
      title: 'bridge',
      pid: 48211,
      nsPid: 27,
      command: ['python3', 'run_bridge.py'],
      route: 'nsenter',
      priority: 'real-time priority',
      folder: 'recordings/bridge',
      ended: 'complete',
    },
    threads: [threadAnswer({}, PACED_COUNTS, { totals: PACED_TOTALS })],
    physicsKnown: true,
    lost: { samples: 0, lines: 0, examples: [] },
    effect: { change: -0.002, low: -0.005, high: 0.001, measure: 'voluntary-switches' },
    findings: [],
    ...changes,
  };
}

export const STARVED: Finding = {
  level: 'warning',
  id: 'sampler-starved',
  what: 'The sampler was held off.',
  why: 'Function shares are unreliable.',
  fix: 'run it as root',
};

/** What `hot` says of the same recording, without rows. */
export const hotAnswer = (changes: Partial<Hot> = {}): Hot => ({
  source: { path: 'recordings/bridge', format: 'recording' },
  by: 'stack',
  window: { wallS: 20 },
  total: { weight: 1000, unit: 'samples', samples: 1000, stacks: 2, threads: 1 },
  lost: { samples: 0, lines: 0, examples: [] },
  selection: [],
  rows: [],
  more: { rows: 0, weight: 0 },
  denominator: 'wall',
  physicsKnown: true,
  findings: [],
  ...changes,
});
