import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { execa } from 'execa';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { findPythons } from '../target/pythons.js';
import { PYSPY, ROOT, profiler, startProgram } from './demo-simulation.js';

const FOUND = findPythons();
const WANTED = ['3.8', '3.9', '3.10', '3.11', '3.12', '3.13'];

interface ThreadJson {
  readonly tid: number;
  readonly name: string;
  readonly samples: number;
  readonly lost: number;
  readonly accounting: Readonly<Record<string, number>>;
  readonly buckets: readonly { readonly id: string }[];
}

/** Records the plain loop under one interpreter. */
async function record(python: string, backend: string, flags: readonly string[]) {
  const loop = await startProgram({
    python,
    program: [join(ROOT, 'compose/sim/plain_loop.py')],
    flags: ['--hz', '200', '--busy', '0.3', ...flags],
  });
  try {
    const folder = join(loop.folder, 'recording');
    const run = await profiler(
      [
        'attach',
        '--pid',
        `${loop.pid}`,
        '--backend',
        backend,
        '-d',
        '3',
        '--no-baseline',
        '--json',
        '-o',
        folder,
      ],
      { cwd: loop.folder },
    );
    expect({ code: run.code, err: run.err }).toMatchObject({ code: 0 });
    const { threads } = JSON.parse(run.out) as { threads: ThreadJson[] };
    const { sources } = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8')) as {
      sources: Record<string, { short: string; lines: Record<string, string> }>;
    };
    const main = threads.find((thread) => thread.tid === loop.pid);
    expect(main?.name).toBe('MainThread');
    expect(main?.samples).toBeGreaterThan(300);
    const other = threads.find((thread) => thread.tid !== loop.pid && thread.samples > 0);
    const otherLives = existsSync(`/proc/${loop.pid}/task/${other?.tid}`);
    return { main, other, otherLives, sources };
  } finally {
    await loop.stop();
  }
}

/** Threads of the demo simulation, physics thread first. */
async function demoThreads(python: string): Promise<readonly (ThreadJson & { readonly role: string })[]> {
  const sim = await startProgram({
    python,
    program: ['-m', 'rover_sim', '--headless'],
    flags: ['--pacing', 'realtime', '--hz', '200', '--busy', '0.4'],
  });
  try {
    const run = await profiler(['attach', '--pid', `${sim.pid}`, '-d', '4', '--no-baseline', '--json'], {
      cwd: sim.folder,
    });
    expect({ code: run.code, err: run.err }).toMatchObject({ code: 0 });
    return (JSON.parse(run.out) as { threads: (ThreadJson & { role: string })[] }).threads;
  } finally {
    await sim.stop();
  }
}

for (const minor of WANTED) {
  const python =
    FOUND.find(({ version, path }) => version.startsWith(`${minor}.`) && path.includes('versions')) ??
    FOUND.find(({ version }) => version.startsWith(`${minor}.`));
  describeWhere(python !== undefined && existsSync(PYSPY), `no CPython ${minor} on this machine`)(
    `CPython ${minor}`,
    (always) => {
      const heavy = onlyWithAll(always);
      heavy('the demo simulation, with the MuJoCo that has wheels for it', async () => {
        const venv = join(ROOT, '.cache/test-venvs', minor);
        await execa(python?.path ?? '', ['-m', 'venv', venv]);
        const requirements = join(ROOT, 'compose/sim/requirements.txt');
        const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
        await execa(join(venv, 'bin/python'), pip);
        const threads = await demoThreads(join(venv, 'bin/python'));
        const [physics] = threads;
        expect(physics?.role).toBe('physics');
        const ids = physics?.buckets.map(({ id }) => id) ?? [];
        expect(ids).toEqual(expect.arrayContaining(['physics', 'raycast', 'publishing', 'plugin', 'pacer']));
      });

      for (const backend of ['cpython', 'py-spy']) {
        // Ours reads every version in test/capture/backends/cpython; here each question is asked of one.
        const testOn = (version: string): typeof always =>
          backend === 'cpython' && minor === version ? always : heavy;
        testOn('3.13')(`${backend}: pacer and source lines of a loop that sleeps`, async () => {
          const { main, sources } = await record(python?.path ?? '', backend, []);
          expect(main?.buckets.map((bucket) => bucket.id)).toContain('pacer');
          const clock = Object.values(sources).find(({ short }) => short === 'plain_sim/clock.py');
          expect(Object.values(clock?.lines ?? {}).join('\n')).toContain('time.sleep(');
        });

        testOn('3.8')(
          `${backend}: threads by TID and GIL wait beside a thread that never lets go`,
          async () => {
            const { main, other, otherLives } = await record(python?.path ?? '', backend, ['--gil-hog']);
            // Most of the blocked time is a wait for the GIL, not the sleep that was asked for.
            expect(main?.accounting['gilWait']).toBeGreaterThan(main?.accounting['sleep'] ?? 1);
            // Each look is one of every thread; what ours could not read keeps its state and is counted apart.
            const looks = (thread: ThreadJson | undefined): number =>
              (thread?.samples ?? 0) + (backend === 'cpython' ? (thread?.lost ?? 0) : 0);
            expect(looks(other)).toBe(looks(main));
            expect(otherLives).toBe(true);
          },
        );
      }
    },
  );
}
