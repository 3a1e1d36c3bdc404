import { describe, expect, it } from 'vitest';
import { atOneRate, heldBySampler, requireSamples } from '../../src/cli/answer-findings.js';
import { tooDeepStacks } from '../../src/cli/too-deep-stacks.js';
import { type Finding, mergeProfiles, ProfileBuilder, ProfilerError } from '../../src/model/index.js';
import { PACED_TOTALS, threadAnswer } from '../report/answers.js';
import { recording } from '../recording/example.js';

const profile = mergeProfiles([], { format: 'recording', path: 'r' });
const source = { path: 'recordings/r', format: 'recording' };

function refusal(findings: readonly Finding[]): Omit<Finding, 'level'> {
  try {
    requireSamples({ profile, source, findings });
  } catch (error) {
    if (error instanceof ProfilerError) return error.finding;
    throw error;
  }
  throw new Error('no refusal');
}

function unreadable(file: string): Finding {
  return {
    level: 'warning',
    id: 'slice-unreadable',
    what: `Slice ${file} could not be read: ENOENT.`,
    why: '',
  };
}

describe('an answer without samples', () => {
  it('names the slice that could not be read, the reason and how many more, and never an idle target', () => {
    expect(refusal([unreadable('slices/000.raw')])).toMatchObject({
      id: 'slices-unreadable',
      what: 'No samples of recordings/r could be read.',
      why: 'Slice slices/000.raw could not be read: ENOENT.',
    });
    const more = ['slices/000.raw', 'slices/001.raw', 'slices/002.raw'].map(unreadable);
    expect(refusal(more).why).toBe('Slice slices/000.raw could not be read: ENOENT. So it is with 2 more.');
  });

  it('says that a recording has no slices', () => {
    const nothing = { profile, source, findings: [], recording: recording({ slices: [] }) };
    expect(() => requireSamples(nothing)).toThrow('The recording recordings/r has no slices');
  });

  it('speaks of an idle target where all was read', () => {
    expect(refusal([])).toMatchObject({ id: 'no-samples', what: '0 samples in recordings/r.' });
  });
});

function heldFor(otherBlocked: number, rateHz?: number): readonly Finding[] {
  return heldBySampler(threadAnswer({}, [], { totals: { ...PACED_TOTALS, otherBlocked } }), rateHz);
}

/** The same of a thread that renders 30 of its 100 samples, blocked. */
function whileRendering(otherBlocked: number): readonly string[] {
  const totals = {
    ...PACED_TOTALS,
    onCpu: 1 - otherBlocked,
    cpuWait: 0,
    blocked: otherBlocked,
    sleep: 0,
    gilWait: 0,
    otherBlocked,
  };
  const counts = [
    { bucket: 'render', kind: 'blocked', leaf: 'work', samples: 30 },
    { bucket: 'physics', leaf: 'work', samples: 70 },
  ] as const;
  return heldBySampler(threadAnswer({}, counts, { totals }), 50).map(({ what }) => what);
}

describe('time that a sampler of native frames held the thread', () => {
  it('is told from 5 % on, as what is blocked for no reason of its own', () => {
    expect(heldFor(0.369).map(({ what }) => what)).toEqual([
      'MainThread was blocked 36.9 % of the time and neither slept nor waited for the GIL: with --native, mostly held by the sampler.',
    ]);
    expect(heldFor(0.049)).toEqual([]);
  });

  it('is told apart from a render that waits for its threads', () => {
    expect(whileRendering(0.5)).toEqual([
      'MainThread was blocked 50.0 % of the time and neither slept nor waited for the GIL: 30.0 % in calls that wait (render), the rest, with --native, mostly held by the sampler.',
    ]);
    expect(whileRendering(0.34)).toEqual([]);
  });

  it('is shorter at 50 samples a second; who has that already is told of perf', () => {
    const fewer = 'profiler attach … --native --rate 50  (fewer stops; for shares leave --native out)';
    const perf = 'profiler attach … --backend py-spy+perf  (perf stops nothing)';
    const fixes = [undefined, 250, 51, 50, 20].map((rateHz) => heldFor(0.369, rateHz)[0]?.fix);
    expect(fixes).toEqual([fewer, fewer, fewer, perf, perf]);
  });
});

function told(fix?: string): Finding {
  return { level: 'note', id: 'any', what: '', why: '', ...(fix === undefined ? {} : { fix }) };
}

describe('advice to sample less often', () => {
  it('names one rate, the one that serves all', () => {
    const findings = [
      '--rate 40',
      'profiler attach … -r 250',
      '--rate 250',
      undefined,
      'leave out --native, or take --rate 20',
    ].map(told);
    expect(atOneRate(findings).map(({ fix }) => fix)).toEqual([
      '--rate 40',
      'profiler attach … -r 40',
      '--rate 40',
      undefined,
      'leave out --native, or take --rate 20',
    ]);
  });
});

/** Samples of a thread with a stack that is too deep, and with another. */
function deepSamples(deep: number, others: number): readonly Finding[] {
  const builder = new ProfileBuilder('samples', { format: 'cpython' });
  const rows = ['<stack too deep to be read>', 'work'].map((name) =>
    builder.stack(-1, builder.frame({ name, kind: 'python' })),
  );
  const [main, thread] = [
    builder.thread({ tid: 1, name: 'MainThread' }),
    builder.thread({ tid: 2, name: 'deep' }),
  ];
  builder.sample(rows[1]!, main, 5000);
  if (deep > 0) builder.sample(rows[0]!, thread, deep);
  builder.sample(rows[1]!, thread, others);
  return tooDeepStacks(builder.build());
}

describe('stacks that are too deep to be read', () => {
  it('are told of the thread that has most of them', () => {
    expect(deepSamples(970, 30)).toMatchObject([
      {
        level: 'warning',
        id: 'stacks-too-deep',
        what: '970 of 1,000 samples of deep (97.0 %) have a stack that is too deep to be read: they count for no function.',
      },
    ]);
    expect(deepSamples(30, 970)).toMatchObject([{ level: 'note' }]);
    expect(deepSamples(0, 1000)).toEqual([]);
  });
});
