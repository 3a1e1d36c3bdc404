import { describe, expect, it } from 'vitest';
import { runJson, runProfiler } from './run-profiler.js';

const file = (name: string): string => `perf-script/${name}.txt`;

/** What `hot` prints, as one line. */
async function said(name: string): Promise<string> {
  return (await runProfiler(['hot', file(name)])).out.replaceAll(/\s+/g, ' ');
}

describe('perf script text on the command line', () => {
  it('gives shares of CPU time by counting, however long the thread slept between', async () => {
    const { rows, source, findings } = await runJson(['hot', file('structure-08-idle-gap')]);
    expect(source.format).toBe('perf-script');
    expect(rows.map((row: { weight: number; share: number }) => [row.weight, row.share])).toEqual([
      [2, 0.666667],
      [1, 0.333333],
    ]);
    expect(findings.map((finding: { id: string }) => finding.id)).toContain('cpu-time-only');
    const { out } = await runProfiler(['hot', file('structure-08-idle-gap')]);
    expect(out.replaceAll(/\s+/g, ' ')).toContain('shares are of CPU time, never of wall time.');
  });

  it('says which events it left out', async () => {
    const { out } = await runProfiler(['hot', file('structure-06-two-event-types')]);
    expect(out).toContain('  2 samples · 1 thread\n');
    expect(out).toContain('  Note: 1 sample of event page-faults ignored.');
  });

  it('shows code without symbols by its library, and how much of it there is', async () => {
    const { out } = await runProfiler(['hot', file('frames-10-unknown-symbols')], {
      env: { COLUMNS: '120' },
    });
    expect(out).toContain('Warning: 2 of 2 samples (100.0 %) end in code without symbols:');
    expect(out).toMatch(/50\.0 % .*physics\/ambiguous +\[libmujoco\.so\.3\.2\.0\]/);
    expect(out).toMatch(/50\.0 % .*executor\/middleware +\[libfastrtps\.so\.2\.6\]/);
  });

  it('puts inlined code into the library around it, and so into its bucket', async () => {
    const { rows } = await runJson(['hot', file('frames-11-inlined'), '--by', 'module']);
    expect(rows.map((row: { name: string }) => row.name)).toEqual(['libmujoco.so.3.2.0', 'bridge']);
    const stacks = await runJson(['hot', file('frames-11-inlined')]);
    expect(stacks.rows[0].bucket).toBe('physics');
  });

  it('shortens a huge name in its middle on screen, and nowhere else', async () => {
    const { out } = await runProfiler(['hot', file('frames-13-huge-symbol'), '--by', 'leaf'], {
      env: { COLUMNS: '80' },
    });
    expect(out).toMatch(/ void Eigen::intern.*….*\(int\) \(bridge\)\n/);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const { rows } = await runJson(['hot', file('frames-13-huge-symbol'), '--by', 'leaf']);
    expect(rows[0].name).toHaveLength(1359);
    const folded = await runProfiler(['hot', file('frames-13-huge-symbol'), '--folded']);
    expect(folded.out).toContain(rows[0].name);
  });

  it.each([
    ['headers-06-comm-semicolon', 'thread (4134): a:b;main (bridge);cast_rays (libsim.so) 1\n'],
    [
      'frames-05-java-semicolon',
      'thread (4200): java;Lcom/sim/Loop:::run ([JIT]);Lcom/sim/Pub:::send ([JIT]) 1\n',
    ],
    ['frames-14-markup-characters', `thread (4200): node;main (bridge);RegExp:[&<>"\\']{2}:</script> 1\n`],
  ])('makes no frame of a semicolon in a name: %s', async (name, line) => {
    expect((await runProfiler(['hot', file(name), '--folded'])).out).toBe(line);
  });

  it('says that there is no call graph, that data was lost and that the input is cut', async () => {
    expect(await said('structure-02-single-line-stacks')).toContain('perf record -g');
    expect(await said('structure-12-noise-lines')).toContain(
      'Warning: perf says on 1 line that it lost data.',
    );
    expect(await said('structure-12-noise-lines')).toContain('Not counted: 5 lines could not be read.');
    expect(await said('structure-11-truncated')).toContain(
      'Warning: The input ends in the middle of a stack.',
    );
  });

  it.each(['structure-03-empty', 'structure-04-header-only'])(
    'has no answer without samples: %s',
    async (name) => {
      for (const args of [['hot'], ['buckets'], ['threads'], ['export', '--to', 'folded', '-o', '-']]) {
        const { code, out, err } = await runProfiler([...args, file(name)]);
        expect([code, out]).toEqual([1, '']);
        expect(err).toContain('profiler: 0 samples: ');
      }
    },
  );
});
