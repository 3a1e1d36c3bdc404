import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolders } from '../recording/example.js';
import { SamplesFile } from '../samples-file.js';
import { runProfiler } from './run-profiler.js';

const folder = temporaryFolders();
const LOOP = '<module> /app/bridge.py:90;Handle._run /usr/lib/python3.11/asyncio/events.py:80';
const HOSTILE = '<task a;mj_step (libmujoco.so)\n\u001b[31m\u202e>';

/** Samples of a step and of messages, of which every second is another's, in tasks of those names, or without any. */
function written(names: { readonly step: string; readonly message: string } | undefined): string {
  const file = new SamplesFile();
  const thread = file.thread({ tid: 4711, name: 'MainThread' });
  const step = file.stack(
    `${LOOP};${names === undefined ? '' : 'STEP;'}Engine.step /app/engine.py:12;mj_step /app/engine.py:14`,
  );
  const [message, other] = ['MESSAGE', 'OTHER'].map((label) =>
    file.stack(
      `${LOOP};${names === undefined ? '' : `${label};`}publish_scan /app/publish.py:3;sleep /app/rate.py:9`,
    ),
  );
  for (let tick = 0; tick < 60; tick += 1) {
    const stack = tick % 3 > 0 ? step : tick % 2 > 0 ? other : message;
    file.tick(2_000_000, thread, `${thread}R${stack}v`);
  }
  const text = file
    .text({ ticks: 60, dueTicks: 60 })
    .replace('"STEP"', JSON.stringify(names?.step))
    .replace('"MESSAGE"', JSON.stringify(names?.message))
    .replace('"OTHER"', '"<task other>"');
  const at = folder();
  writeFileSync(join(at, 'x.samples'), text);
  return at;
}

const named = (): string => written({ step: '<task step loop>', message: '<task <GC>>' });

async function outOf(cwd: string, ...args: readonly string[]): Promise<string> {
  const run = await runProfiler(args, { cwd });
  expect(run.code, run.err).toBe(0);
  return run.out;
}

async function rowsOf(at: string): Promise<readonly string[]> {
  const json = JSON.parse(await outOf(at, 'hot', 'x.samples', '--by', 'function', '--json')) as {
    rows: { name: string; total: number; self: number }[];
  };
  return json.rows.map(({ name, self, total }) => `${name} ${self} ${total}`);
}

describe('names of tasks', () => {
  it('stand in trees and stacks between the loop and the coroutine', async () => {
    const tree = await outOf(named(), 'hot', 'x.samples', '--tree');
    expect(tree).toMatch(/66\.7 %\s+66\.7 %.*<task step loop> › … › mj_step/);
    expect(tree).toMatch(/16\.7 %\s+16\.7 %.*<task <GC>> › publish_scan › sleep/);
    const folded = await outOf(named(), 'export', 'x.samples', '--to', 'folded', '-o', '-');
    expect(folded).toContain('asyncio/events.py:80);<task step loop>;Engine.step (/app/engine.py:12);');
  });

  it('change no bucket', async () => {
    const [one, other] = [named(), written(undefined)];
    for (const args of [['buckets'], ['hot', '--by', 'leaf'], ['hot', '--by', 'caller']]) {
      const [command = '', ...rest] = args;
      const all = [command, 'x.samples', ...rest, '--json'];
      const [with_, without] = [await outOf(one, ...all), await outOf(other, ...all)];
      // There are more different stacks.
      expect(with_.replace('"stacks": 3', '"stacks": 2')).toBe(without);
    }
  });

  it('are rows of their own, beside the functions', async () => {
    const [with_, without] = [await rowsOf(named()), await rowsOf(written(undefined))];
    expect(with_.filter((row) => row.startsWith('<task'))).toEqual([
      '<task step loop> 0 40',
      '<task <GC>> 0 10',
      '<task other> 0 10',
    ]);
    expect(with_.filter((row) => !row.startsWith('<task'))).toEqual(without);
  });

  it('do no harm, whatever they are', async () => {
    const at = written({ step: HOSTILE, message: '<task x>' });
    const tree = await outOf(at, 'hot', 'x.samples', '--tree');
    // eslint-disable-next-line no-control-regex
    expect(tree).not.toMatch(/[\u001b\u202e]/);
    const folded = await outOf(at, 'export', 'x.samples', '--to', 'folded', '-o', '-');
    expect(
      folded
        .trimEnd()
        .split('\n')
        .map((line) => line.split(';').length),
    ).toEqual([6, 6, 6]);
    expect(folded).toContain(';<task a:mj_step (libmujoco.so)');
  });
});
