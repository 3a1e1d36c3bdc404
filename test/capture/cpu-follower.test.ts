import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CaptureRequest, dryRun, record } from '../../src/capture/index.js';
import { probeRealtime } from '../../src/target/index.js';
import { cpuFollowerArgv, startCpuFollower } from '../../src/capture/cpu-follower.js';
import type { Recording } from '../../src/recording/index.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import {
  allowedCpus,
  emptyFolder,
  followersOf,
  type Live,
  mayRealtime,
  NO_PYSPY,
  path,
  processesNaming,
  pyspy,
  requestFor,
  start,
  stateSampler,
} from './live.js';

const running: Live[] = [];

async function target(name: string): Promise<Live> {
  const live = await start(name);
  running.push(live);
  return live;
}

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const live of running.splice(0)) await live.stop();
});

/** A request that leaves the rate to the loop. */
function unrated(pid: number, wishes: Partial<CaptureRequest> = {}): CaptureRequest {
  const { rateHz: _, ...request } = requestFor(pid, wishes);
  return request;
}

async function capture(request: CaptureRequest, onProgress: () => void = () => {}): Promise<Recording> {
  return record(request, {
    signal: new AbortController().signal,
    stateSampler: stateSampler(),
    onEvent: (event) => {
      if (event.kind === 'progress') onProgress();
    },
  });
}

/** The CPUs that the samplers of a request may use now, one list for each of their threads. */
function samplerCpus(request: CaptureRequest): readonly string[] {
  return processesNaming(request.folder)
    .filter((pid) => commOf(pid) === 'py-spy')
    .flatMap(allowedCpus);
}

function commOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

const samplesIn = ({ slices }: Recording): number =>
  slices.reduce((sum, { samples }) => sum + (samples ?? 0), 0);

describe('the follower', () => {
  it('moves another process after a thread, and ends with its input', async () => {
    const { pid } = await target('unpaced.py');
    const [wide = ''] = allowedCpus(process.pid);
    const other = await target('paced.py');
    const follower = startCpuFollower(cpuFollowerArgv([], pid));
    await vi.waitFor(() => expect(followersOf(pid)).toHaveLength(1), 30_000);
    follower.follow(pid, other.pid);
    await vi.waitFor(() => {
      const cpus = new Set(allowedCpus(other.pid));
      expect([...cpus]).toEqual([expect.stringMatching(/^\d+$/)]);
    }, 30_000);
    expect(new Set(allowedCpus(pid))).toEqual(new Set([wide]));
    await follower.stop();
    expect(followersOf(pid)).toEqual([]);
  });

  it('survives threads and samplers that are gone', async () => {
    const { pid } = await target('unpaced.py');
    const other = await target('paced.py');
    const follower = startCpuFollower(cpuFollowerArgv([], pid));
    follower.follow(4_194_303, other.pid);
    follower.follow(pid, 4_194_303);
    follower.rest();
    follower.follow(pid, other.pid);
    await vi.waitFor(() => expect(allowedCpus(other.pid)[0]).toMatch(/^\d+$/), 30_000);
    await follower.stop();
  });

  it('is killed where it does not end by itself', async () => {
    const program = path('deaf-python.sh');
    const follower = startCpuFollower([program]);
    await vi.waitFor(() => expect(processesNaming(program)).toHaveLength(1), 30_000);
    await follower.stop();
    expect(processesNaming(program)).toEqual([]);
  });

  it('that cannot be started is no reason to fail', async () => {
    const follower = startCpuFollower(['/nowhere/python3']);
    follower.follow(1, 2);
    follower.rest();
    await follower.stop();
  });
});

describeWhere(pyspy !== undefined, NO_PYSPY)('a sampler and the CPU of the physics thread', (test) => {
  test('share it beside a loop that never sleeps, at 125 Hz', async () => {
    const { pid } = await target('unpaced.py');
    const [wide = ''] = allowedCpus(process.pid);
    const request = unrated(pid, { durationS: 4, sliceS: 2 });
    const seen: string[] = [];
    const recording = await capture(request, () => {
      seen.push([...new Set(samplerCpus(request))].join('|'));
      expect(new Set(allowedCpus(pid))).toEqual(new Set([wide]));
    });
    expect(seen).toContainEqual(expect.stringMatching(/^\d+$/));
    expect(recording.rateHz).toBe(125);
    expect(samplesIn(recording)).toBeGreaterThan(0);
    expect(recording.commands.filter((argv) => argv.includes('-r')).map((argv) => argv.join(' '))).toEqual([
      expect.stringContaining(' -r 125 '),
      expect.stringContaining(' -r 125 '),
    ]);
    expect(recording.commands[1]).toEqual(cpuFollowerArgv(mayRealtime() ? ['chrt', '-f', '50'] : [], pid));
    expect(followersOf(pid)).toEqual([]);
  });

  test('are planned like that in a dry run, too', async () => {
    const { pid } = await target('unpaced.py');
    const { commands } = await dryRun(unrated(pid));
    expect(
      commands.map(({ argv }) => argv.join(' ')).filter((line) => line.includes(' -r 125 ')),
    ).toHaveLength(2);
    expect(followersOf(pid)).toEqual([]);
  });

  test('are left apart beside a loop that sleeps often, at 250 Hz', async () => {
    const { pid } = await target('paced.py');
    const [wide = ''] = allowedCpus(process.pid);
    const request = unrated(pid);
    const seen = new Set<string>();
    let followers = 0;
    const recording = await capture(request, () => {
      for (const cpus of samplerCpus(request)) seen.add(cpus);
      followers = Math.max(followers, followersOf(pid).length);
    });
    expect([...seen]).toEqual([wide]);
    expect(followers).toBe(1);
    expect(recording.rateHz).toBe(250);
    expect(followersOf(pid)).toEqual([]);
  });

  for (const [name, programs] of [
    ['a PATH without python3', ['chrt']],
    ['an empty PATH', []],
  ] as const) {
    const one = programs.length > 0 ? test : onlyWithAll(test);
    one(`are scheduled freely with ${name}: the recording is made all the same`, async () => {
      const { pid } = await target('unpaced.py');
      const folder = emptyFolder();
      for (const program of programs) {
        const [file = ''] = execFileSync('which', [program], { encoding: 'utf8' }).split('\n');
        symlinkSync(file, `${folder}/${program}`);
      }
      vi.stubEnv('PATH', folder);
      const granted = await probeRealtime();
      const request = unrated(pid, { durationS: 2, sliceS: 1, realtime: granted });
      const recording = await capture(request);
      expect(recording).toMatchObject({ ended: 'complete', rateHz: 125 });
      expect(recording.slices).toHaveLength(2);
      expect(samplesIn(recording)).toBeGreaterThan(0);
    });
  }
});
