import { describe, expect, it } from 'vitest';
import { runJson, runProfiler } from './run-profiler.js';

describe('phases of MuJoCo in a file that a sampler wrote', () => {
  it('says how much of physics they tell apart', async () => {
    const { out } = await runProfiler(['buckets', 'mujoco/pyspy-native-4.0.0.raw']);
    expect(out).toContain(
      [
        '  How much of physics could be told apart by phase (of 126 samples):',
        '                  one phase  ambiguous  no frame of it',
        '    MuJoCo 4.0.0     65.9 %     30.2 %           4.0 %',
        '',
      ].join('\n'),
    );
    const { threads, findings } = await runJson(['buckets', 'mujoco/pyspy-native-4.0.0.raw']);
    expect(threads[0].phases).toEqual([
      { program: 'MuJoCo', version: '4.0.0', checked: true, inPhase: 83, shared: 38, withoutFrame: 5 },
    ]);
    expect(findings.map(({ id }: { id: string }) => id)).not.toContain('mujoco-version-unchecked');
  });

  it('does so for the folded text of perf, which names the library of unnamed code alone', async () => {
    const { threads } = await runJson(['buckets', 'mujoco/perf-4.0.0.folded']);
    expect(threads[0].phases).toEqual([
      { program: 'MuJoCo', version: '4.0.0', checked: true, inPhase: 400, shared: 238, withoutFrame: 0 },
    ]);
  });

  it('warns of a release that was not checked', async () => {
    const input = 'main (sim.py:3);step (sim.py:9);mj_collision (mujoco/libmujoco.so.3.9.1) 5\n';
    const { out } = await runProfiler(['buckets', '-'], { input });
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'Warning: This is MuJoCo 3.9.1; the phases of physics were checked against 3.2.3, 3.3.7, 3.14.0, 3.16.0, 3.17.0 and 4.0.0.',
    );
    expect(out).toContain('    -> profiler hot --bucket physics --by leaf  (the functions themselves)\n');
    expect(out).toContain('    MuJoCo 3.9.1, not checked    100.0 %      0.0 %\n');
  });

  it('says nothing where no native frame was sampled', async () => {
    const { out } = await runProfiler(['buckets', 'rules/husky-idle.raw']);
    expect(out).not.toContain('told apart');
  });

  it('states the releases beside the rules that depend on them', async () => {
    const stated = 'Phases checked against MuJoCo 3.2.3, 3.3.7, 3.14.0, 3.16.0, 3.17.0, 4.0.0.';
    expect((await runProfiler(['rules', 'list', '--bucket', 'physics'])).out).toContain(stated);
    expect((await runProfiler(['rules', 'list', '--bucket', 'render'])).out).not.toContain(stated);
    const { packs } = await runJson(['rules', 'list']);
    const mujoco = packs.find(({ id }: { id: string }) => id === 'mujoco');
    expect(mujoco.checked.versions).toEqual(['3.2.3', '3.3.7', '3.14.0', '3.16.0', '3.17.0', '4.0.0']);
  });
});
