import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect } from 'vitest';
import { MUJOCO_PHASES } from '../../src/rules/packs/mujoco-leaves.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { BIN, type LiveProgram, profiler, PYSPY, rover } from './demo-simulation.js';
import { whyNoPerf } from './why-no-perf.js';

interface Row {
  readonly id?: string;
  readonly kind?: string;
  readonly share: number;
}

interface Answer {
  readonly threads: readonly {
    readonly buckets: readonly (Row & { readonly parts?: readonly Row[] })[];
    readonly phases?: readonly {
      readonly inPhase: number;
      readonly shared: number;
      readonly withoutFrame: number;
    }[];
  }[];
  readonly findings: readonly { readonly id: string }[];
}

interface Manifest {
  readonly backend: string;
  readonly slices: readonly { readonly file: string; readonly native?: object }[];
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8')) as Manifest;
}

describeWhere(whyNoPerf === undefined, whyNoPerf ?? '')('py-spy and perf together', (test) => {
  let live: LiveProgram;
  beforeEach(async () => {
    live = await rover([
      '--hz',
      '200',
      '--load',
      'bodies=40,rays=200,transforms=2,effort=1,tracked=1,scan_every=4,tf_every=4,hook_every=2,state_every=10',
    ]);
  });
  afterEach(async () => {
    await live.stop();
    rmSync(live.folder, { recursive: true, force: true });
  });
  const run = (...args: readonly string[]) => profiler(args, { cwd: live.folder });

  test('puts the phases of physics below the line that steps, and moves no sample to another bucket', async () => {
    const args = ['--pid', String(live.pid), '--backend', 'py-spy+perf', '--no-baseline'];
    const plan = await run('attach', ...args, '--dry-run');
    expect(plan.out).toMatch(/^.*py-spy record --pid \d+ /m);
    expect(plan.out).toMatch(/^.*perf record .* -o \S+\/slices\/000\.perf\.data/m);
    const ran = await run('attach', ...args, '-d', '4', '-o', 'both', '--json');
    expect({ code: ran.code, err: ran.err }).toMatchObject({ code: 0 });
    const answer = JSON.parse(ran.out) as Answer;
    const manifest = manifestOf(join(live.folder, 'both'));
    expect(manifest.backend).toBe('py-spy+perf');
    expect(manifest.slices.map(({ file, native }) => ({ file, native }))).toEqual([
      {
        file: 'slices/000.raw',
        native: { file: 'slices/000.folded', format: 'pyspy-raw', rateHz: 199, wall: false },
      },
    ]);
    expect(existsSync(join(live.folder, 'both/slices/000.perf.data'))).toBe(true);
    expect(answer.findings.map(({ id }) => id)).toContain('native-by-share');
    const physics = answer.threads[0]?.buckets.find(({ id }) => id === 'physics');
    const phases = (physics?.parts ?? []).flatMap(({ kind }) =>
      Object.hasOwn(MUJOCO_PHASES, kind ?? '') ? [kind] : [],
    );
    expect(phases.length).toBeGreaterThan(3);
    const [resolved] = answer.threads[0]?.phases ?? [];
    expect(resolved?.inPhase).toBeGreaterThan((resolved?.shared ?? 0) + (resolved?.withoutFrame ?? 0));
    // The same recording without what perf saw.
    cpSync(join(live.folder, 'both'), join(live.folder, 'python'), { recursive: true });
    const slices = manifest.slices.map((slice) => ({ ...slice, native: undefined }));
    writeFileSync(join(live.folder, 'python/recording.json'), JSON.stringify({ ...manifest, slices }));
    const bare = JSON.parse((await run('buckets', 'python', '--json')).out) as Answer;
    expect(sharesOf(bare)).toEqual(sharesOf(answer));
    const hot = await run('hot', 'both', '--bucket', 'physics', '--folded');
    expect(hot.out).toMatch(/step \([^)]*engine\.py:\d+\);.*mj_\w+ \(mujoco\/libmujoco\.so/);
  });

  test('refuses to read native frames twice', async () => {
    const ran = await run('attach', '--pid', String(live.pid), '--backend', 'py-spy+perf', '--native');
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.err).toContain('--native is for py-spy alone');
  });

  onlyWithAll(test)('leaves neither sampler behind once cleanup ran', async () => {
    const args = ['attach', '--pid', String(live.pid), '--backend', 'py-spy+perf', '-o', 'killed'];
    const env = { PROFILER_PY_SPY: PYSPY, XDG_STATE_HOME: live.folder };
    const ran = execa(process.execPath, [BIN, ...args], { reject: false, env, cwd: live.folder });
    await expect
      .poll(() => existsSync(join(live.folder, 'killed/slices/000.log')), { timeout: 30_000 })
      .toBe(true);
    ran.kill('SIGKILL');
    await ran;
    await execa(process.execPath, [BIN, 'cleanup', '--yes'], { env, reject: false });
    const { stdout } = await execa('ps', ['-eo', 'args'], { stripFinalNewline: true });
    const left = stdout
      .split('\n')
      .filter((line) => /(?:perf|py-spy) record/.test(line) && line.includes(String(live.pid)));
    expect(left).toEqual([]);
  });
});

function sharesOf({ threads }: Answer): readonly Row[] {
  return (threads[0]?.buckets ?? []).map(({ id, share }) => ({ id: id ?? '', share }));
}
