import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { type CaptureEvent, type CaptureRequest, record } from '../../src/capture/index.js';
import { readManifest, type Recording } from '../../src/recording/index.js';
import { describeWhere, itWhere } from '../only-where.js';
import { findPythons } from '../target/pythons.js';
import {
  followersOf,
  type Live,
  mayRealtime,
  NO_PYSPY,
  path,
  processesNaming,
  processState,
  pyspy,
  requestFor,
  start,
  stateSampler,
} from './live.js';

const running: Live[] = [];

async function target(name: string, python?: string): Promise<Live> {
  const live = await start(name, python);
  running.push(live);
  return live;
}

afterEach(async () => {
  for (const live of running.splice(0)) await live.stop();
});

/** Records, and calls `at` with every event. */
async function capture(
  request: CaptureRequest,
  at: (event: CaptureEvent, abort: () => void) => void = () => {},
): Promise<Recording> {
  const controller = new AbortController();
  return record(request, {
    signal: controller.signal,
    stateSampler: stateSampler(),
    onEvent: (event) => at(event, () => controller.abort()),
  });
}

/** Nothing of ours is left: neither a sampler that writes into the folder nor a state sampler or CPU follower of the target. */
function expectNothingLeft(request: CaptureRequest): void {
  expect(processesNaming(request.folder)).toEqual([]);
  expect(processesNaming(`${stateSampler()}\0${request.target.pid}\0`)).toEqual([]);
  expect(followersOf(request.target.pid)).toEqual([]);
  expect(processState(request.target.pid) ?? 'gone').not.toMatch(/^[Tt]$/);
}

function threadOf(recording: Recording, tid: number): Recording['slices'][number]['accounting'] {
  return recording.slices.flatMap(({ accounting }) => accounting.filter((row) => row.tid === tid));
}

function shareOf(rows: Recording['slices'][number]['accounting'], state: 'gil' | 'sleep'): number {
  const blocked = rows.reduce(
    (sum, { states }) => sum + (states ? states.gil + states.sleep + states.other : 0),
    0,
  );
  return rows.reduce((sum, { states }) => sum + (states?.[state] ?? 0), 0) / blocked;
}

describeWhere(pyspy !== undefined, NO_PYSPY)('a recording of a running program', (it) => {
  it('has slices with exact accounting, the lines that ran, loop rates and the policy of the sampler', async () => {
    const { pid } = await target('paced.py');
    const request = requestFor(pid, { baselineS: 1, label: 'paced', durationS: 2, sliceS: 1 });
    const phases: string[] = [];
    const recording = await capture(request, (event) => {
      if (event.kind === 'phase') phases.push(event.phase);
    });
    expect(phases).toEqual(['before', 'sampling', 'after', 'writing']);
    expect(recording).toMatchObject({
      label: 'paced',
      backend: 'py-spy',
      route: 'direct',
      ended: 'complete',
      requestedS: 2,
      rateHz: 250,
      native: false,
      target: { pid, startTicks: request.target.startTicks, runtime: 'python' },
    });
    expect(recording.policy).toBe(mayRealtime() ? 'fifo:50' : 'other');

    expect(recording.slices.map(({ file, exit }) => [file, exit])).toEqual([
      ['slices/000.raw', 0],
      ['slices/001.raw', 0],
    ]);
    let previousEnd = 0n;
    let windowNs = 0n;
    for (const slice of recording.slices) {
      expect(BigInt(slice.startNs)).toBeGreaterThan(previousEnd);
      expect(BigInt(slice.endNs)).toBeGreaterThan(BigInt(slice.startNs));
      previousEnd = BigInt(slice.endNs);
      windowNs += BigInt(slice.endNs) - BigInt(slice.startNs);
      expect(slice.samples).toBeGreaterThan(0);
      expect(readFileSync(join(request.folder, slice.file), 'utf8')).toContain(path('paced.py'));
      expect(slice.accounting.map(({ tid }) => tid)).toContain(pid);
      for (const row of slice.accounting) {
        expect(row.onCpuNs).toBeGreaterThanOrEqual(0);
        expect(row.cpuWaitNs).toBeGreaterThanOrEqual(0);
        expect(row.onCpuNs + row.cpuWaitNs).toBeLessThanOrEqual(row.wallNs);
      }
    }
    // The last slice is ended on measured time; a loaded machine is late, never early.
    expect(Number(windowNs) / 1e9).toBeGreaterThan(1.99);

    const main = threadOf(recording, pid);
    expect(main).toHaveLength(2);
    expect(main.map(({ name }) => name)).toEqual(['MainThread', 'MainThread']);
    expect(main.every(({ onCpuNs, voluntarySwitches }) => onCpuNs > 0 && voluntarySwitches > 50)).toBe(true);
    expect(shareOf(main, 'sleep')).toBeGreaterThan(0.8);
    expect(recording.loopRates[0]).toMatchObject({ tid: pid, measure: 'voluntary-switches' });
    expect(recording.loopRates[0]?.before).toHaveLength(1);
    expect(recording.loopRates[0]?.during.length).toBeGreaterThan(0);
    expect(recording.loopRates[0]?.after).toHaveLength(1);

    const source = recording.sources[path('paced.py')];
    expect(source?.short).toBe('paced.py');
    expect(Object.values(source?.lines ?? {})).toContain('    time.sleep(0.0016)');
    expect(await readManifest(request.folder)).toEqual(recording);
    expect(statSync(request.folder).mode & 0o777).toBe(0o700);
    expectNothingLeft(request);
  });

  it('sees a thread wait for the GIL', async () => {
    const { pid } = await target('contended.py');
    const recording = await capture(requestFor(pid));
    expect(shareOf(threadOf(recording, pid), 'gil')).toBeGreaterThan(0.6);
  });

  it('runs no state sampler beside a loop that never blocks, and counts its CPU instead of its switches', async () => {
    const { pid } = await target('unpaced.py');
    const recording = await capture(requestFor(pid, { baselineS: 1 }));
    expect(threadOf(recording, pid).map(({ states }) => states)).toEqual([undefined, undefined]);
    expect(recording.loopRates.map(({ tid, measure }) => [tid, measure])).toEqual([[pid, 'cpu']]);
    expect(recording.findings.filter(({ id }) => id === 'states-missing')).toEqual([]);
  });

  it('keeps what was recorded when the signal comes, and leaves nothing running', async () => {
    const { pid } = await target('paced.py');
    const request = requestFor(pid, { durationS: 60, sliceS: 1 });
    const recording = await capture(request, (event, abort) => {
      if (event.kind === 'progress' && event.doneS > 1.5) abort();
    });
    expect(recording.ended).toBe('interrupted');
    expect(recording.slices.length).toBeGreaterThanOrEqual(2);
    expect(recording.slices.at(-1)?.samples).toBeGreaterThan(0);
    expect(await readManifest(request.folder)).toEqual(recording);
    expectNothingLeft(request);
  });

  it('has no slices when the signal comes before the first one', async () => {
    const { pid } = await target('paced.py');
    const request = requestFor(pid, { baselineS: 3 });
    const recording = await capture(request, (_event, abort) => abort());
    expect(recording).toMatchObject({ ended: 'interrupted', slices: [] });
    expect(readdirSync(request.folder)).toEqual([]);
    expectNothingLeft(request);
  });

  it('keeps what was recorded when the target is killed', async () => {
    const live = await target('paced.py');
    const request = requestFor(live.pid, { durationS: 60, sliceS: 1 });
    let killed: Promise<void> | undefined;
    const recording = await capture(request, (event) => {
      if (event.kind === 'progress' && event.doneS > 2.5) killed ??= live.stop();
    });
    await killed;
    expect(recording.ended).toBe('target-ended');
    expect(recording.slices.length).toBeGreaterThanOrEqual(2);
    expect(threadOf(recording, live.pid).length).toBeGreaterThanOrEqual(2);
    expect(recording.findings.map(({ id }) => id)).toContain('target-ended');
    expect(await readManifest(request.folder)).toEqual(recording);
    expectNothingLeft(request);
  });

  it('never leaves the target stopped', async () => {
    const { pid } = await target('paced.py');
    const request = requestFor(pid, { durationS: 2, sliceS: 1 });
    let stopped = false;
    const recording = await capture(request, (event) => {
      if (event.kind !== 'progress' || stopped) return;
      stopped = process.kill(pid, 'SIGSTOP');
    });
    expect(recording.findings).toContainEqual(
      expect.objectContaining({ level: 'warning', id: 'target-was-stopped', fix: `kill -CONT ${pid}` }),
    );
    expectNothingLeft(request);
  });

  it('leaves a target alone that was stopped before', async () => {
    const { pid } = await target('paced.py');
    process.kill(pid, 'SIGSTOP');
    const request = requestFor(pid, { durationS: 1 });
    const error: unknown = await capture(request).catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      exitCode: 1,
      finding: {
        level: 'blocker',
        id: 'target-stopped',
        what: `Process ${pid} is stopped (state T): nothing of it runs that could be sampled.`,
        fix: `kill -CONT ${pid}`,
      },
    });
    expect(processState(pid)).toBe('T');
    expect(readdirSync(request.folder)).toEqual([]);
  });

  it('says that somebody else stopped the target for a part of the window', async () => {
    const { pid } = await target('paced.py');
    const request = requestFor(pid, { durationS: 2, sliceS: 2 });
    let stopped = false;
    const recording = await capture(request, (event) => {
      if (event.kind !== 'progress') return;
      if (event.doneS > 1.2) process.kill(pid, 'SIGCONT');
      else if (!stopped) stopped = process.kill(pid, 'SIGSTOP');
    });
    const found = recording.findings.find(({ id }) => id === 'target-stopped');
    expect(found).toMatchObject({ level: 'warning', fix: `kill -CONT ${pid}` });
    expect(found?.what).toMatch(
      new RegExp(`^Process ${pid} was stopped \\(state T\\) in \\d+ of \\d+ looks at it, about \\d+ % `),
    );
    expect(recording.findings.map(({ id }) => id)).not.toContain('target-was-stopped');
  });
});

const old = findPythons().find(({ version }) => /^3\.(?:8|9|10)\./.test(version));

itWhere(pyspy !== undefined && old !== undefined, 'needs py-spy and a Python from 3.8 to 3.10')(
  'maps the addresses that stand for threads in Python up to 3.10 to the threads of the kernel',
  async () => {
    const { pid } = await target('paced.py', old?.path);
    const recording = await capture(requestFor(pid, { durationS: 1 }));
    const rows = recording.slices[0]?.accounting ?? [];
    expect(rows.map(({ name }) => name)).toEqual(['MainThread', 'waiter']);
    expect(new Set(Object.values(recording.threadIds ?? {}))).toEqual(new Set(rows.map(({ tid }) => tid)));
    expect(recording.findings.filter(({ id }) => id.startsWith('thread-ids'))).toEqual([]);
  },
);
