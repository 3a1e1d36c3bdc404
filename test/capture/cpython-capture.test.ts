import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type CaptureRequest, probeCpython, record } from '../../src/capture/index.js';
import { ProfilerError } from '../../src/model/index.js';
import { type Recording, readRecording } from '../../src/recording/index.js';
import { findTarget } from '../../src/target/index.js';
import { onlyWithAll } from '../only-where.js';
import {
  emptyFolder,
  type Live,
  processesNaming,
  processState,
  realtime,
  requestFor,
  start,
} from './live.js';

/** The compiled sampler: a process of its own cannot be TypeScript. */
const PROGRAM = fileURLToPath(new URL('../../dist/capture/backends/cpython/main.js', import.meta.url));

const running: Live[] = [];
const undone: (() => Promise<unknown>)[] = [];

async function target(name: string): Promise<Live> {
  const live = await start(name);
  running.push(live);
  return live;
}

afterEach(async () => {
  for (const undo of undone.splice(0)) await undo();
  for (const live of running.splice(0)) await live.stop();
});

async function requestBy(pid: number, wishes: Partial<CaptureRequest> = {}): Promise<CaptureRequest> {
  const target_ = findTarget({ pid, selfPid: process.pid });
  const probe = await probeCpython({ target: target_, realtime, program: PROGRAM });
  if (!probe.works) throw new Error(`${probe.finding.what} ${probe.finding.why}`);
  undone.push(probe.route.undo);
  const asked = requestFor(pid, { target: target_, rateHz: 500, ...wishes });
  return { ...asked, route: probe.route, cpython: true };
}

/** `at` is called each time that something is heard of the recording, with the seconds so far. */
async function capture(request: CaptureRequest, at: (doneS: number) => void = () => {}): Promise<Recording> {
  return record(request, {
    signal: new AbortController().signal,
    onEvent: (event) => {
      if (event.kind === 'progress') at(event.doneS);
    },
  });
}

/** Calls `act` once, at the first news after so many seconds. */
function once(seconds: number, act: () => void): (doneS: number) => void {
  let isDone = false;
  return (doneS) => {
    if (doneS < seconds || isDone) return;
    isDone = true;
    act();
  };
}

const samplersOf = (pid: number): readonly number[] => processesNaming(`${PROGRAM}\0{"pid":${pid},`);

describe('a capture by our own sampler', () => {
  it('has a state and a time in every sample, and its own facts in every slice', async () => {
    const { pid } = await target('paced.py');
    const request = await requestBy(pid);
    const recording = await capture(request);
    expect(recording).toMatchObject({ backend: 'cpython', route: 'direct', rateHz: 500, ended: 'complete' });
    expect(recording.slices.map(({ file, format }) => [file, format])).toEqual([
      ['slices/000.samples', 'cpython'],
      ['slices/001.samples', 'cpython'],
    ]);
    for (const { sampler, accounting, samples } of recording.slices) {
      expect(sampler).toMatchObject({ rateHz: 500, reads: { lost: expect.any(Number) } });
      const main = accounting.find(({ tid }) => tid === pid);
      // Every tick looks at every thread.
      expect(main?.states?.looks).toBe(sampler?.ticks);
      expect(main?.states?.sleep).toBeGreaterThan(0);
      expect(samples).toBe((sampler?.ticks ?? 0) * accounting.filter(({ states }) => states).length);
    }
    const { profile, findings } = await readRecording(request.folder);
    expect(findings).toEqual([]);
    expect(profile.lost.lines).toBe(0);
    expect(profile.samples.timeNs?.length).toBe(profile.samples.length);
    expect(profile.samples.state?.length).toBe(profile.samples.length);
    // One process for all slices.
    expect(new Set(recording.commands.map((argv) => argv.slice(0, -3).join(' '))).size).toBe(1);
    expect(samplersOf(pid)).toHaveLength(1);
    await request.route.undo();
    expect(samplersOf(pid)).toEqual([]);
  });

  it('keeps what came before the target was killed, to the last whole line', async () => {
    const live = await target('paced.py');
    const request = await requestBy(live.pid, { durationS: 30, sliceS: 30 });
    const recording = await capture(
      request,
      once(1, () => process.kill(live.pid, 'SIGKILL')),
    );
    expect(recording.ended).toBe('target-ended');
    expect(recording.slices).toHaveLength(1);
    expect(recording.findings.map(({ id }) => id)).toContain('target-ended');
    const { profile } = await readRecording(request.folder);
    expect(profile.samples.length).toBeGreaterThan(200);
    expect(profile.lost.lines).toBe(0);
  });

  it('keeps what came before another program took the place of its target, and nothing of that one', async () => {
    const { pid, tell } = await target('replaced.py');
    const request = await requestBy(pid, { durationS: 30, sliceS: 30 });
    const recording = await capture(request, once(1.5, tell));
    expect(recording.ended).toBe('target-ended');
    expect(recording.findings).toMatchObject([
      {
        id: 'target-replaced',
        why: 'What runs under the same number from then on is another program.',
        fix: `profiler attach --pid ${pid}`,
      },
    ]);
    expect(recording.slices.map(({ file }) => file)).toEqual(['slices/000.samples']);
    const { profile } = await readRecording(request.folder);
    expect(profile.samples.length).toBeGreaterThan(500);
    // Its last ticks found nobody: no stack of the other program, and none lost at it.
    const { states } = recording.slices[0]?.accounting.find(({ tid }) => tid === pid) ?? {};
    expect(states?.looks).toBe(profile.samples.length);
  });

  it('takes threads that come and go all the time for what they are', async () => {
    const { pid } = await target('many-threads.py');
    const recording = await capture(await requestBy(pid));
    expect(recording.ended).toBe('complete');
    expect(recording.findings.map(({ id }) => id)).not.toContain('slice-lost');
    expect(recording.slices.map(({ sampler }) => sampler?.ticks ?? 0).every((ticks) => ticks > 300)).toBe(
      true,
    );
  });

  it('leaves a target stopped that somebody else stopped', async () => {
    const { pid } = await target('paced.py');
    const recording = await capture(
      await requestBy(pid),
      once(1, () => process.kill(pid, 'SIGSTOP')),
    );
    expect(processState(pid)).toBe('T');
    const ids = new Set(recording.findings.map(({ id }) => id));
    expect([ids.has('target-stopped'), ids.has('target-was-stopped')]).toEqual([true, false]);
  });

  it('goes on with another sampler where one is killed', async () => {
    const { pid } = await target('paced.py');
    const request = await requestBy(pid, { durationS: 3, sliceS: 1 });
    let killed: number | undefined;
    const recording = await capture(
      request,
      once(1.2, () => {
        [killed] = samplersOf(pid);
        if (killed !== undefined) process.kill(killed, 'SIGKILL');
      }),
    );
    expect(killed).toBeDefined();
    expect(recording.ended).toBe('complete');
    expect(recording.findings.map(({ id }) => id)).toContain('slice-lost');
    expect(recording.slices.map(({ file }) => file)).toContain('slices/000.samples');
    expect(recording.slices.map(({ file }) => file)).toContain('slices/002.samples');
  });

  onlyWithAll(it)('says that the disk is full', async () => {
    const { pid } = await target('paced.py');
    const folder = emptyFolder();
    const mount = ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder];
    try {
      execFileSync('mount', mount, { stdio: 'ignore' });
    } catch {
      return;
    }
    try {
      const request = await requestBy(pid, {
        durationS: 60,
        sliceS: 30,
        folder: `${folder}/r`,
        rateHz: 2000,
      });
      const error: unknown = await capture(request).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(ProfilerError);
      expect((error as ProfilerError).finding.id).toBe('disk-full');
      await request.route.undo();
    } finally {
      execFileSync('umount', [folder]);
    }
  });

  it('ends with its way', async () => {
    const { pid } = await target('paced.py');
    const request = await requestBy(pid);
    const [sampler] = samplersOf(pid);
    expect(readFileSync(`/proc/${sampler}/cmdline`, 'utf8')).toContain('backends/cpython/main.js');
    await request.route.undo();
    expect(existsSync(`/proc/${sampler}`)).toBe(false);
  });
});

describe('a target that is not for it', () => {
  it('is no Python', async () => {
    const node = { ...findTarget({ pid: process.pid, selfPid: -1 }) };
    expect(await probeCpython({ target: node, realtime, program: PROGRAM })).toMatchObject({
      works: false,
      finding: { level: 'note', id: 'cpython-not-python' },
    });
  });

  it('has another layout than its version says', async () => {
    const { pid } = await target('paced.py');
    const real = findTarget({ pid, selfPid: process.pid });
    for (const version of ['3.9.18', '3.13.0', '3.7.16', '4.0.0', '']) {
      const probe = await probeCpython({
        target: { ...real, runtimeVersion: version },
        realtime,
        program: PROGRAM,
      });
      expect(probe, version).toMatchObject({
        works: false,
        finding: { level: 'note', id: 'cpython-layout' },
      });
    }
  });

  it('is a free-threaded build, or on another machine', async () => {
    const { pid } = await target('paced.py');
    const real = findTarget({ pid, selfPid: process.pid });
    const cases = [
      [{ ...real, freeThreaded: true }, 'cpython-free-threaded'],
      [{ ...real, elsewhere: 'tcp://10.0.0.1:2375' }, 'cpython-elsewhere'],
    ] as const;
    for (const [other, id] of cases)
      expect(await probeCpython({ target: other, realtime, program: PROGRAM })).toMatchObject({
        works: false,
        finding: { id },
      });
  });

  it('cannot be read by a sampler that does not start', async () => {
    const { pid } = await target('paced.py');
    const real = findTarget({ pid, selfPid: process.pid });
    const probe = await probeCpython({ target: real, realtime, program: '/nowhere/main.js' });
    expect(probe).toMatchObject({ works: false, finding: { id: 'cpython-start' } });
  });
});
