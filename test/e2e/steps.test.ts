import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Recording } from '../../src/recording/index.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { probesNow, whyNoSteps } from '../step-probes.js';
import { type LiveProgram, profiler, rover, truthOver } from './demo-simulation.js';

const why = whyNoSteps;

interface Answer {
  readonly realTime?: { readonly factor: number; readonly measured: string };
}
interface Rtf {
  readonly factor: number;
  readonly low: number;
  readonly high: number;
  readonly simS: number;
  readonly windowS: number;
  readonly steps: number;
  readonly startNs: string;
  readonly endNs: string;
  readonly perSecond: readonly number[];
  readonly findings: readonly unknown[];
}
interface BySteps {
  readonly kind: string;
  readonly steps: number;
  readonly samples: number;
  readonly stepUs: Readonly<Record<string, number>>;
  readonly buckets: readonly {
    readonly id: string;
    readonly us: number;
    readonly low: number;
    readonly high: number;
  }[];
}

const recordingIn = (folder: string): Recording =>
  JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8')) as Recording;

describeWhere(why === undefined, why ?? '')('the steps of a simulation that is sampled', (test) => {
  let sim: LiveProgram;
  let folder: string;
  let before: string;
  let answer: Answer;
  beforeAll(async () => {
    if (why !== undefined) return;
    before = probesNow();
    sim = await rover(['--pacing', '0.8', '--hz', '200', '--busy', '0.4']);
    folder = join(sim.folder, 'r');
    const run = await profiler(
      ['attach', '--pid', `${sim.pid}`, '-d', '5', '--no-baseline', '--json', '-o', folder],
      { cwd: sim.folder },
    );
    expect(run).toMatchObject({ code: 0 });
    answer = JSON.parse(run.out) as Answer;
  });
  afterAll(() => sim?.stop());

  test('give its real-time factor, as it counts itself', async () => {
    const { steps } = recordingIn(folder);
    expect(steps).toMatchObject({
      symbol: 'mj_step',
      tid: sim.pid,
      worlds: 1,
      timestepS: 0.005,
      timedBy: 'memory',
    });
    const [during] = steps?.phases ?? [];
    if (during === undefined) throw new Error('nothing was measured');
    const truth = await truthOver(sim.ring, [[during.startNs, during.endNs]]);
    // Either end may lie in the middle of a step.
    const counted = truth.steps + 1;
    expect(Math.abs((during.simulatedS ?? 0) / 0.005 - counted)).toBeLessThanOrEqual(2);
    expect(Math.abs((during.steps ?? 0) - counted)).toBeLessThanOrEqual(2);
    expect(answer.realTime).toMatchObject({ measured: 'during' });
    const wallS = Number(BigInt(during.endNs) - BigInt(during.startNs)) / 1e9;
    expect(answer.realTime?.factor).toBeCloseTo((during.simulatedS ?? 0) / wallS, 5);
    expect(during).not.toHaveProperty('resets');
  });

  test('give it to rtf as well, and each second of it', async () => {
    const { out, code, err } = await profiler(['rtf', '--pid', `${sim.pid}`, '-d', '4', '--json'], {
      cwd: sim.folder,
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const told = JSON.parse(out) as Rtf;
    expect(told).toMatchObject({
      kind: 'rtf',
      way: 'probe',
      symbol: 'mj_step',
      timedBy: 'memory',
      timestepS: 0.005,
    });
    const truth = await truthOver(sim.ring, [[told.startNs, told.endNs]]);
    expect(Math.abs(told.simS / 0.005 - (truth.steps + 1))).toBeLessThanOrEqual(2);
    expect(Math.abs(told.steps - (truth.steps + 1))).toBeLessThanOrEqual(2);
    expect(told.factor).toBeCloseTo(told.simS / told.windowS, 5);
    // A step at either end, and what it took to look at the time.
    const margin = (told.high - told.low) / 2;
    expect(margin).toBeGreaterThan(0.005 / told.windowS);
    expect(margin).toBeLessThan(0.05 / told.windowS);
    expect(told.perSecond).toHaveLength(4);
    expect(told.findings).toEqual([]);
  });

  onlyWithAll(test)(
    'are counted by any function that is named; what one adds has to be said then',
    async () => {
      const flags = ['rtf', '--pid', `${sim.pid}`, '-d', '1', '--symbol', 'mj_multiRay'];
      const without = await profiler(flags, { cwd: sim.folder });
      expect(without.code).toBe(1);
      expect(without.err).toMatch(
        /calls mj_multiRay \d+ times a second; how much simulated time that is, is not known\./,
      );
      expect(without.err).toContain(
        `-> profiler rtf --pid ${sim.pid} --symbol mj_multiRay --timestep SECONDS`,
      );
      const told = await profiler([...flags, '--timestep', '0.005', '--json'], { cwd: sim.folder });
      expect(JSON.parse(told.out)).toMatchObject({
        symbol: 'mj_multiRay',
        timedBy: 'steps',
        timestepS: 0.005,
      });
      const none = await profiler([...flags.slice(0, -1), 'no_such'], { cwd: sim.folder });
      expect(none.err).toContain('has loaded no file that shows no_such.');
    },
  );

  test('are told in the answer, and what would bring the factor to 1', async () => {
    const { out, code } = await profiler(['buckets', folder], { cwd: sim.folder });
    expect(code).toBe(0);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      /Real-time factor 0\.\d{3,4} ± 0\.00\d{1,2} \(while it was sampled\): it falls behind by \d+\.\d %\. (Its pacer takes|It waits for)/,
    );
    expect(out).not.toContain('cannot be told from a profile');
  });

  test('are what a bucket is shared out over', async () => {
    const { out, code, err } = await profiler(['buckets', folder, '--by-step', '--json'], {
      cwd: sim.folder,
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const found = JSON.parse(out) as BySteps;
    const { slices } = recordingIn(folder);
    const truth = await truthOver(
      sim.ring,
      slices.map(({ startNs, endNs }) => [startNs, endNs] as const),
    );
    expect(found.kind).toBe('by-step');
    // The step at each end of a slice is not whole.
    expect(Math.abs(found.steps - truth.steps)).toBeLessThanOrEqual(2 * slices.length);
    const wallS = slices.reduce(
      (sum, { startNs, endNs }) => sum + Number(BigInt(endNs) - BigInt(startNs)) / 1e9,
      0,
    );
    expect((found.stepUs['mean'] ?? 0) / ((wallS * 1e6) / truth.steps)).toBeCloseTo(1, 1);
    const sum = found.buckets.reduce((total, { us }) => total + us, 0);
    expect(sum / (found.stepUs['mean'] ?? 1)).toBeCloseTo(1, 3);
  });

  test('are on the page of the report, and their lack is a note of it', async () => {
    const page = join(sim.folder, 'page.html');
    expect(await profiler(['report', folder, '-o', page], { cwd: sim.folder })).toMatchObject({ code: 0 });
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('<h2 id="by-step-title">By simulation step</h2>');
    expect(html).toMatch(/[\d,]+ steps, [\d,]+ µs each; half take no more than/);
    const without = join(sim.folder, 'no-steps');
    cpSync(folder, without, { recursive: true });
    rmSync(join(without, 'steps.tsv'));
    const told = await profiler(['report', without, '-o', page, '--json'], { cwd: sim.folder });
    expect(told.code).toBe(0);
    expect((JSON.parse(told.out) as { findings: unknown[] }).findings).toContainEqual(
      expect.objectContaining({ level: 'note', id: 'steps-unreadable' }),
    );
    expect(readFileSync(page, 'utf8')).not.toContain('by-step-title');
    const refused = await profiler(['buckets', without, '--by-step'], { cwd: sim.folder });
    expect([refused.code, refused.err.split('\n')[0]]).toEqual([
      1,
      'profiler: The steps of no-steps cannot be read.',
    ]);
  });

  test('of an interval, or of a file that has none, are refused with the reason', async () => {
    const both = await profiler(['buckets', folder, '--by-step', '--from', '1'], { cwd: sim.folder });
    expect(both).toMatchObject({ code: 2 });
    const bare = await profiler(
      ['buckets', join(folder, recordingIn(folder).slices[0]?.file ?? ''), '--by-step'],
      {
        cwd: sim.folder,
      },
    );
    expect(bare.code).toBe(1);
    expect(bare.err).toContain('does not say when each step began');
    expect(bare.err).toContain('profiler buckets --over-time');
  });

  test('that cannot be written down first are not probed, and that is said', async () => {
    const own = join(sim.folder, 'unwritable');
    const flags = ['-d', '1', '--no-baseline', '--json', '-o', own];
    const run = await profiler(['attach', '--pid', `${sim.pid}`, ...flags], {
      cwd: sim.folder,
      // A file where a folder would have to be.
      env: { XDG_STATE_HOME: join(folder, 'recording.json') },
    });
    expect(run.code).toBe(0);
    const { findings } = JSON.parse(run.out) as {
      findings: readonly { readonly id: string; readonly what: string; readonly why: string }[];
    };
    expect(findings.find(({ id }) => id === 'steps-not-probed')).toMatchObject({
      what: 'There is no real-time factor and no share by step: no probe was put on mj_step.',
      why: 'What is put into the kernel could not be written down first (ENOTDIR).',
    });
    expect(probesNow()).toBe(before);
  });

  test('are left alone where that is wanted', async () => {
    const own = join(sim.folder, 'without');
    const flags = ['-d', '1', '--no-baseline', '--no-steps', '--json', '-o', own];
    const run = await profiler(['attach', '--pid', `${sim.pid}`, ...flags], { cwd: sim.folder });
    expect(run).toMatchObject({ code: 0 });
    expect(JSON.parse(run.out)).not.toHaveProperty('realTime');
    expect(recordingIn(own)).not.toHaveProperty('steps');
    expect(existsSync(join(own, 'steps.tsv'))).toBe(false);
    const refused = await profiler(['buckets', own, '--by-step'], { cwd: sim.folder });
    expect(refused.err.replaceAll(/\s+/g, ' ')).toContain('takes root of the machine');
  });

  test('leave nothing in the kernel', () => {
    expect(probesNow()).toBe(before);
  });
});
