import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { readRecording } from '../../src/recording/index.js';
import type { TraceEvent } from '../formats/chrome-file.js';
import { onlyWithAll } from '../only-where.js';
import { BIN } from './demo-simulation.js';
import { type NodeTarget, startNode } from './node-targets.js';

const heavy = onlyWithAll(it);

const running: NodeTarget[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) {
    await one.stop('SIGKILL');
    one.remove();
  }
});

async function recorded(
  name: string,
  args: readonly string[] = [],
): Promise<{ target: NodeTarget; out: string }> {
  const target = await startNode(name, args);
  running.push(target);
  const out = join(target.folder, 'r');
  const ran = await profiler(
    target,
    'attach',
    '--pid',
    String(target.pid),
    '--no-baseline',
    '-d',
    '3',
    '-o',
    out,
  );
  expect({ code: ran.exitCode, err: ran.stderr }).toMatchObject({ code: 0 });
  return { target, out };
}

function profiler(target: NodeTarget, ...args: readonly string[]) {
  return execa(process.execPath, [BIN, ...args], {
    reject: false,
    env: { XDG_STATE_HOME: target.folder },
    cwd: target.folder,
  });
}

interface ByStep {
  readonly kind: string;
  readonly rows: readonly {
    readonly steps: readonly string[];
    readonly share: number;
    readonly runs?: { readonly count: number; readonly meanMs: number };
    readonly buckets: readonly { readonly id: string; readonly share: number }[];
  }[];
}

const resting = (row: ByStep['rows'][number] | undefined): number =>
  row?.buckets.find(({ id }) => id === 'idle')?.share ?? 0;

describe('a Node program that measures itself', () => {
  it('has its steps and spans among the samples, thread by thread', async () => {
    const { target, out } = await recorded('measured_steps.mjs', ['worker']);
    const { spans = [], profile } = await readRecording(out);
    const of = (name: string) => spans.filter((span) => span.name === name);
    const [work, rest, parts, frames] = [of('work(30)'), of('rest(20)'), of('Part'), of('Frame_Total')];
    // Each round takes 50 ms and what a busy machine adds.
    expect(work.length).toBeGreaterThan(20);
    expect(Math.abs(work.length - rest.length)).toBeLessThan(2);
    expect(of('round(2)').every(({ kind }) => kind === 'composite')).toBe(true);
    // Every span of the main thread lies in the step that made it, though another clock measured that.
    const sameNs = 20_000;
    const inside = parts.filter(({ startNs, endNs }) =>
      work.some((step) => step.startNs <= startNs + sameNs && endNs <= step.endNs + sameNs),
    );
    expect(inside.length).toBe(
      parts.filter(({ startNs }) => startNs + sameNs >= (work[0]?.startNs ?? 0)).length,
    );
    expect(new Set(parts.map(({ tid }) => tid))).toEqual(new Set([target.pid]));
    expect(frames.length).toBeGreaterThan(100);
    const [worker] = new Set(frames.map(({ tid }) => tid));
    expect(worker).not.toBe(target.pid);
    expect(existsSync(`/proc/${target.pid}/task/${worker}`)).toBe(true);
    const names = new Set(profile.frames.filter(({ kind }) => kind === 'marker').map(({ name }) => name));
    for (const label of ['step work(30)', 'step rest(20)', 'span Part', 'span Frame_Total'])
      expect(names).toContain(label);

    const answer = await profiler(target, 'buckets', '--by-step', out, '--json');
    const { kind, rows } = JSON.parse(answer.stdout) as ByStep;
    expect(kind).toBe('by-named-step');
    const [worked, rested] = ['work(30)', 'rest(20)'].map((name) =>
      rows.find(({ steps }) => steps[0] === name),
    );
    expect(resting(worked)).toBeLessThan(0.05);
    expect(resting(rested)).toBeGreaterThan(0.9);
    expect(worked?.runs?.meanMs).toBeGreaterThanOrEqual(30);
    expect((worked?.share ?? 0) + (rested?.share ?? 0)).toBeGreaterThan(0.97);

    const trace = join(target.folder, 'trace.json');
    expect((await profiler(target, 'export', out, '--to', 'chrome', '-o', trace)).exitCode).toBe(0);
    const { traceEvents } = JSON.parse(readFileSync(trace, 'utf8')) as { traceEvents: readonly TraceEvent[] };
    const rowNames = traceEvents
      .filter(({ name }) => name === 'thread_name')
      .map(({ args }) => String(args?.['name']));
    expect(rowNames.filter((name) => / · (?:steps|spans)$/.test(name)).length).toBe(3);
    expect(traceEvents.filter(({ ph, name }) => ph === 'B' && name === 'rest(20)').length).toBe(
      rest.filter(({ endNs }) => endNs > 0).length,
    );
    // Nothing of it stays in the target.
    expect(await target.stop()).toBe('0');
  });

  heavy('is the example of the bridge', async () => {
    const { target, out } = await recorded('../../compose/bridge/measured.mjs', ['--port', '0']);
    const { spans = [], findings } = await readRecording(out);
    expect(findings.map(({ id }) => id)).not.toContain('spans-lost');
    const kinds = new Map(spans.map(({ name, kind }) => [name, kind]));
    expect(Object.fromEntries(kinds)).toEqual({
      'patrol(1)': 'composite',
      'drive(20)': 'step',
      'look(5)': 'step',
      sleep: 'phase',
      Frame_Total: 'frame',
      Encode: 'span',
      Raycast: 'span',
      Send: 'span',
    });
    const text = await profiler(target, 'buckets', '--by-step', out);
    expect(text.stdout).toMatch(/drive\(20\) +\d+ +\d/);
    expect(await target.stop()).toBe('0');
  });

  heavy('has no spans where it measures nothing', async () => {
    const { target, out } = await recorded('truth_loop.mjs', ['{folder}/truth', '3', '900', '500', '300']);
    expect((await readRecording(out)).spans).toBeUndefined();
    const ran = await profiler(target, 'buckets', '--by-step', out);
    expect(ran.exitCode).not.toBe(0);
    expect(ran.stderr).toContain('sim-profiler/telemetry');
  });
});
