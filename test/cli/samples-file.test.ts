import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contendedSamples } from '../gil-contention.js';
import { temporaryFolders } from '../recording/example.js';
import { runProfiler } from './run-profiler.js';

const folder = temporaryFolders();

function written(): string {
  const at = folder();
  writeFileSync(join(at, 'gil.samples'), contendedSamples());
  return at;
}

const NOTE = '0.3 % of the samples have a call that no stack shows which was read twice';

describe('a file of samples by itself', () => {
  it('is exported for others to draw without calls that were never verified, and says so', async () => {
    const run = await runProfiler(['export', 'gil.samples', '--to', 'folded', '-o', 'out.folded'], {
      cwd: written(),
    });
    expect(run.code).toBe(0);
    expect(run.err.replaceAll(/\s+/g, ' ')).toContain(NOTE);
    const text = await runProfiler(['export', 'gil.samples', '--to', 'folded', '-o', '-'], {
      cwd: written(),
    });
    expect(text.out).toContain('Pacer.wait (/app/roqsim/pacer.py:31) 390\n');
    expect(text.out).not.toContain('Pacer.wait (/app/roqsim/pacer.py:31);');
  });

  it('is exported as data with all that it has', async () => {
    const run = await runProfiler(['export', 'gil.samples', '--to', 'json', '-o', '-'], { cwd: written() });
    const json = JSON.parse(run.out) as { states: string[]; stacks: number[][]; samples: number[][] };
    expect(json.states).toEqual(['unknown', 'running', 'cpu-wait', 'gil-wait', 'sleep', 'blocked']);
    expect(json.samples[0]).toEqual([1, 0, 1, 2_000_000, 1, 0]);
    // Only the last of the stacks, a publish below the pacer, was never verified.
    expect(json.stacks.map(([, , verified]) => verified).toSorted()).toEqual([0, 1, 1, 1, 1, 1, 1, 1]);
    expect(run.err).toBe('');
  });

  it('says so on a report page, too', async () => {
    const run = await runProfiler(['report', 'gil.samples', '-o', 'x.html', '--json'], { cwd: written() });
    expect([run.code, run.out.includes(NOTE)]).toEqual([0, true]);
  });

  it('is counted whole where its stacks are listed', async () => {
    const run = await runProfiler(['hot', 'gil.samples', '--folded', '--thread', 'MainThread'], {
      cwd: written(),
    });
    expect(run.out).toContain(
      'Pacer.wait (/app/roqsim/pacer.py:31);Publisher.publish (/opt/rclpy/publisher.py:70) 5\n',
    );
  });

  it('opens in speedscope with waits where they happened', async () => {
    const run = await runProfiler(['view', 'gil.samples', '-o', '-', '--rate', '500'], { cwd: written() });
    const json = JSON.parse(run.out) as {
      profiles: { name: string; unit: string; endValue: number; samples: number[][] }[];
      shared: { frames: { name: string }[] };
    };
    const [main] = json.profiles;
    expect([main!.unit, Number(main!.endValue.toFixed(6))]).toEqual(['seconds', 2]);
    const leaves = main!.samples.map((stack) => json.shared.frames[stack.at(-1)!]!.name);
    expect([...new Set(leaves)].toSorted()).toEqual([
      '(no stack) [unclassified/lost]',
      'Engine.step [physics]',
      'Pacer.wait [pacer]',
      'Publisher.publish [publishing]',
      'waiting for a CPU [cpu-wait]',
      'waiting for the GIL [gil-wait]',
    ]);
    // In order of time: it waits where it waited.
    expect(leaves[200]).toBe('waiting for the GIL [gil-wait]');
    const told = await runProfiler(['view', 'gil.samples', '-o', 'x.json', '--json'], { cwd: written() });
    expect(told.out).toContain(NOTE);
  });
});
