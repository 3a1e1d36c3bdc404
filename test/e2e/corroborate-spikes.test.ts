import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { itWhere, onlyWithAll } from '../only-where.js';
import { ROOT, SIM_PYTHON, profiler } from './demo-simulation.js';

interface Spike {
  readonly atUs: number;
  readonly tableUs: number;
  readonly verdict: string;
  readonly held?: { readonly kind: string; readonly place?: string; readonly caller?: string };
}

interface Spikes {
  readonly offset?: { readonly s: number };
  readonly unknown?: string;
  readonly each?: readonly Spike[];
}

/** What blocked the loop, in seconds on the clock of the trace. */
interface Truth {
  readonly began: number;
  readonly blocks: readonly { readonly function: string; readonly start: number; readonly end: number }[];
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Runs a program that blocks its loop now and then, samples it for 6 s, and holds its own trace against that. */
async function blockedLoop(
  file: string,
  args: readonly string[],
  attach: readonly string[],
): Promise<{ readonly spikes: Spikes; readonly truth: Truth; readonly startNs: string }> {
  const cwd = mkdtempSync(join(tmpdir(), 'profiler-spikes-'));
  folders.push(cwd);
  const program = execa(file, [...args, '7', 'trace.json', 'truth.json'], {
    cwd,
    stdin: 'pipe',
    stderr: 'ignore',
  });
  await new Promise<void>((resolve, reject) => {
    const lines = createInterface({ input: program.stdout });
    lines.on('line', (line) => line === 'ready' && resolve());
    lines.on('close', () => reject(new Error(`${file} ended before it was ready`)));
  });
  const recorded = await profiler(
    ['attach', '--pid', `${program.pid}`, '-d', '6', '--no-baseline', '-o', 'rec', ...attach],
    { cwd },
  );
  program.stdin.end();
  await program;
  expect({ code: recorded.code, err: recorded.err }).toMatchObject({ code: 0 });
  const run = await profiler(['tables', 'trace.json', '--corroborate', 'rec', '--json'], { cwd });
  expect({ code: run.code, err: run.err }).toEqual({ code: 0, err: '' });
  const read = <T>(name: string): T => JSON.parse(readFileSync(join(cwd, name), 'utf8')) as T;
  const { slices } = read<{ slices: readonly { readonly startNs: string }[] }>('rec/recording.json');
  const { spikes } = JSON.parse(run.out) as { readonly spikes: Spikes };
  return { spikes, truth: read('truth.json'), startNs: slices[0]?.startNs ?? '0' };
}

/** The function that blocked the loop for most of a spike; a busy machine makes it late without any. */
function culprit({ atUs, tableUs }: Spike, { blocks }: Truth): string | undefined {
  const [from, to] = [(atUs - tableUs) / 1e6, atUs / 1e6];
  return blocks.find(({ start, end }) => Math.min(end, to) - Math.max(start, from) > (to - from) * 0.8)
    ?.function;
}

/** Spikes that a known function made, as far as there were samples of them. */
const known = ({ each = [] }: Spikes, truth: Truth): readonly Spike[] =>
  each.filter((spike) => spike.verdict !== 'not-comparable' && culprit(spike, truth) !== undefined);

/** `[the function that did it, what was named]` of each of them that is called after another one. */
function misnamed(spikes: Spikes, truth: Truth): readonly (readonly [string | undefined, Spike])[] {
  return known(spikes, truth).flatMap((spike) => {
    const wanted = culprit(spike, truth);
    const { kind, place = '', caller = '' } = spike.held ?? {};
    // V8 does not say in which function it collects what that leaves behind.
    if (kind === 'gc' && wanted === 'loadMap') return [];
    return place.startsWith(`${wanted} (`) || caller.startsWith(`${wanted} (`) ? [] : [[wanted, spike]];
  });
}

describe('spikes of a live event loop', () => {
  onlyWithAll(itWhere(existsSync(SIM_PYTHON), 'no .cache/sim-venv: run scripts/test'))(
    'of asyncio are each given the function that blocked it',
    async () => {
      const script = join(ROOT, 'test/e2e/programs/blocked_loop.py');
      const { spikes, truth, startNs } = await blockedLoop(SIM_PYTHON, [script], ['--backend', 'cpython']);
      expect(spikes.unknown).toBeUndefined();
      expect(known(spikes, truth).length).toBeGreaterThan(8);
      expect(misnamed(spikes, truth)).toEqual([]);
      const collections = known(spikes, truth).filter((spike) => culprit(spike, truth) === 'free_all');
      // Where others keep the CPU from it for most of one, that is what is said.
      const kinds = collections.flatMap(({ held }) => (held?.kind === 'cpu-wait' ? [] : [held?.kind]));
      expect(kinds).toEqual(kinds.map(() => 'gc'));
      // Both clocks are the machine's, which nobody told the search.
      const offsetS = truth.began - Number(startNs) / 1e9;
      expect(Math.abs((spikes.offset?.s ?? 0) - offsetS)).toBeLessThan(0.03);
    },
  );

  onlyWithAll(it)('of Node are each given the function that blocked it', async () => {
    const script = join(ROOT, 'test/targets/blocked-loop.mjs');
    // Of a loop that V8 replaced while it ran, before it was asked for samples, it names the caller: so it makes no such code.
    const run = () =>
      blockedLoop(process.execPath, ['--jitless', '--inspect-port=0', script], ['--backend', 'node']);
    const first = await run();
    // V8's samples do not say when it had no CPU: on a machine with far too much to do too few of them fit.
    const { spikes, truth } = first.spikes.unknown === undefined ? first : await run();
    expect(spikes.unknown).toBeUndefined();
    expect(known(spikes, truth).length).toBeGreaterThan(8);
    expect(misnamed(spikes, truth)).toEqual([]);
  });
});
