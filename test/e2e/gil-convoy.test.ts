import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { ROOT, SIM_PYTHON, profiler } from './demo-simulation.js';

interface Answer {
  readonly findings: readonly { readonly id: string; readonly what: string; readonly fix?: string }[];
  readonly threads: readonly {
    readonly name: string;
    readonly role: string;
    readonly gilWindows?: Readonly<
      Record<'holds' | 'computes' | 'rests' | 'waits', { readonly share: number }>
    > & {
      readonly places: readonly { readonly function: string; readonly bucket: string }[];
    };
    readonly gilRivalry?: {
      readonly looks: number;
      readonly open: { readonly looks: number };
      readonly verdict: string;
    };
  }[];
}

/** What `threads` says of a MuJoCo that is stepped beside a worker of pure Python. */
async function threadsBeside(nstep: number, folder: string): Promise<Answer> {
  const program = join(ROOT, 'scripts/bench/gil_convoy.py');
  const child = spawn(SIM_PYTHON, [program, '--endless', '--nstep', `${nstep}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  try {
    await once(child.stdout, 'data');
    const recording = join(folder, `nstep-${nstep}`);
    const flags = ['-d', '3', '--no-baseline', '--backend', 'cpython', '-o', recording];
    const attach = await profiler(['attach', '--pid', `${child.pid}`, ...flags], { cwd: folder });
    expect({ code: attach.code, err: attach.err }).toMatchObject({ code: 0 });
    const threads = await profiler(['threads', recording, '--json'], { cwd: folder });
    expect({ code: threads.code, err: threads.err }).toMatchObject({ code: 0 });
    return JSON.parse(threads.out) as Answer;
  } finally {
    child.stdin.end();
    await ended;
  }
}

describeWhere(existsSync(SIM_PYTHON), 'no .cache/sim-venv: run scripts/test')(
  'MuJoCo stepped beside a thread of pure Python',
  (test) => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'profiler-convoy-'));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    onlyWithAll(test)(
      'with one step a call is a convoy: it waits for the GIL longer than it steps',
      async () => {
        const { findings, threads } = await threadsBeside(1, folder);
        const convoy = findings.find(({ id }) => id === 'gil-convoy');
        expect(convoy?.what).toMatch(/^Where it steps \(step \(\S*gil_convoy\.py\)\), MainThread waits /);
        expect(convoy?.fix).toMatch(/^Call mujoco\.mj_step\(model, data, nstep=N\) /);
        const worker = threads.find(({ name }) => name === 'worker');
        expect(worker?.gilRivalry?.verdict).toBe('other-delays-first');
      },
    );

    onlyWithAll(test)(
      'with 100,000 steps a call waits for nobody: the GIL is free nearly all of the time',
      async () => {
        const { findings, threads } = await threadsBeside(100_000, folder);
        expect(findings.map(({ id }) => id)).not.toContain('gil-convoy');
        const [main] = threads;
        expect(main).toMatchObject({ name: 'MainThread', role: 'physics' });
        expect(main?.gilWindows?.computes.share).toBeGreaterThan(0.8);
        expect(main?.gilWindows?.places[0]).toMatchObject({ function: 'step', bucket: 'physics' });
        const worker = threads.find(({ name }) => name === 'worker');
        expect(worker?.gilRivalry?.verdict).not.toBe('other-delays-first');
        expect(worker?.gilRivalry?.open.looks).toBeGreaterThan(0);
      },
    );
  },
);
