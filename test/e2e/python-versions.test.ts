import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { describeWhere } from '../only-where.js';
import { findPythons } from '../target/pythons.js';
import { PYSPY, ROOT, profiler, startProgram } from './demo-simulation.js';

const FOUND = findPythons();
const WANTED = ['3.8', '3.9', '3.10', '3.11', '3.12', '3.13'];

/** A contended loop: its physics thread sleeps in a pacer, computes and waits for a GIL that another thread holds. */
for (const minor of WANTED) {
  const python =
    FOUND.find(({ version, path }) => version.startsWith(`${minor}.`) && path.includes('versions')) ??
    FOUND.find(({ version }) => version.startsWith(`${minor}.`));
  describeWhere(python !== undefined && existsSync(PYSPY), `no CPython ${minor} on this machine`)(
    `CPython ${minor}`,
    (test) => {
      test('threads by TID and name, GIL wait, pacer and source lines', async () => {
        const loop = await startProgram({
          python: python?.path ?? '',
          program: [join(ROOT, 'compose/sim/plain_loop.py')],
          flags: ['--hz', '200', '--busy', '0.3', '--gil-hog'],
        });
        try {
          const folder = join(loop.folder, 'recording');
          const run = await profiler(
            ['attach', '--pid', `${loop.pid}`, '-d', '3', '--no-baseline', '--json', '-o', folder],
            { cwd: loop.folder },
          );
          expect({ code: run.code, err: run.err }).toMatchObject({ code: 0 });
          const answer = JSON.parse(run.out) as {
            threads: {
              tid: number;
              name: string;
              samples: number;
              accounting: Record<string, number>;
              buckets: { id: string }[];
            }[];
          };
          const main = answer.threads.find((thread) => thread.tid === loop.pid);
          expect(main?.name).toBe('MainThread');
          expect(main?.samples).toBeGreaterThan(300);
          expect(main?.buckets.map((bucket) => bucket.id)).toContain('pacer');
          // The other thread never lets go by itself, so most of the blocked time is a wait for the GIL, not the sleep that was asked for.
          expect(main?.accounting['gilWait']).toBeGreaterThan(main?.accounting['sleep'] ?? 1);
          const hog = answer.threads.find((thread) => thread.tid !== loop.pid && thread.samples > 0);
          expect(hog?.samples).toBe(main?.samples);
          expect(existsSync(`/proc/${loop.pid}/task/${hog?.tid}`)).toBe(true);
          const { sources } = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8')) as {
            sources: Record<string, { short: string; lines: Record<string, string> }>;
          };
          const clock = Object.values(sources).find(({ short }) => short === 'plain_sim/clock.py');
          expect(Object.values(clock?.lines ?? {}).join('\n')).toContain('time.sleep(');
        } finally {
          await loop.stop();
        }
      });
    },
  );
}
