import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, expect, vi } from 'vitest';
import { type CaptureRequest, dryRun, record } from '../../src/capture/index.js';
import { ProfilerError } from '../../src/model/index.js';
import { readManifest, type Recording } from '../../src/recording/index.js';
import { readCommand } from '../../src/target/index.js';
import { describeWhere } from '../only-where.js';
import {
  emptyFolder,
  followersOf,
  type Live,
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
const mounts: string[] = [];

async function target(name: string): Promise<Live> {
  const live = await start(name);
  running.push(live);
  return live;
}

afterEach(async () => {
  for (const live of running.splice(0)) await live.stop();
  for (const mount of mounts.splice(0)) execFileSync('umount', [mount]);
});

async function capture(
  request: CaptureRequest,
  onProgress: (doneS: number) => void = () => {},
): Promise<Recording> {
  return record(request, {
    signal: new AbortController().signal,
    stateSampler: stateSampler(),
    onEvent: (event) => {
      if (event.kind === 'progress') onProgress(event.doneS);
    },
  });
}

async function errorOf(
  request: CaptureRequest,
  onProgress?: (doneS: number) => void,
): Promise<ProfilerError> {
  const error: unknown = await capture(request, onProgress).catch((cause: unknown) => cause);
  if (!(error instanceof ProfilerError)) throw new Error(`not a ProfilerError: ${String(error)}`);
  return error;
}

/** Everything in a folder, relative to it. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort();
}

function fake(name: string): CaptureRequest['sampler'] {
  return { path: path(`${name}-sampler.sh`), version: '0.4.3' };
}

/** A small disk of its own, or undefined where that is not allowed. */
function smallDisk(): string | undefined {
  const folder = emptyFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    return undefined;
  }
}

const disk = smallDisk();
if (disk !== undefined) execFileSync('umount', [disk]);

function fill(folder: string): void {
  for (const size of [65_536, 4096, 512]) {
    try {
      for (let count = 0; ; count += 1) writeFileSync(`${folder}/fill-${size}-${count}`, Buffer.alloc(size));
    } catch {
      // Full for this size.
    }
  }
}

describeWhere(process.platform === 'linux', 'needs /proc')('a sampler that goes wrong', (it) => {
  it('may end badly after complete output: the slice is kept', async () => {
    const { pid } = await target('paced.py');
    const recording = await capture(requestFor(pid, { sampler: fake('late-exit') }));
    expect(recording.slices[0]).toMatchObject({ exit: 1, samples: 7, errors: 0 });
    expect(recording.ended).toBe('complete');
    expect(recording.findings.map(({ id }) => id)).toContain('window-short');
  });

  it('may read nothing at all: that is said, and what to type', async () => {
    const { pid } = await target('paced.py');
    const request = requestFor(pid, { sampler: fake('empty') });
    const { finding } = await errorOf(request);
    expect(finding).toMatchObject({
      level: 'blocker',
      id: 'no-samples',
      fix: `${request.sampler.path} dump --pid ${pid}`,
    });
    expect(filesIn(request.folder)).toEqual(['slices', 'slices/000.log', 'slices/001.log']);
  });

  it('may talk garbage: its words are handed on', async () => {
    const { pid } = await target('paced.py');
    const request = requestFor(pid, { sampler: fake('garbage') });
    const { finding } = await errorOf(request);
    expect(finding.id).toBe('pyspy-unknown');
    expect(finding.what).toContain('garbage;;');
    expect(filesIn(request.folder)).toEqual(['slices', 'slices/000.log']);
    expect(readFileSync(`${request.folder}/slices/000.log`, 'latin1')).toContain('garbage;;');
  });

  it('may crash in one slice: the others are kept, and the loss is said', async () => {
    const { pid } = await target('paced.py');
    const recording = await capture(requestFor(pid, { durationS: 3, sampler: fake('crashing') }));
    expect(recording.slices.map(({ file }) => file)).toEqual(['slices/000.raw', 'slices/002.raw']);
    expect(recording.findings).toContainEqual(expect.objectContaining({ id: 'slice-lost' }));
  });

  it('may not exist', async () => {
    const { pid } = await target('paced.py');
    const { finding } = await errorOf(
      requestFor(pid, { sampler: { path: '/nowhere/py-spy', version: '0' } }),
    );
    expect(finding).toMatchObject({ id: 'py-spy-broken', fix: 'profiler tools install py-spy' });
  });
});

describeWhere(pyspy !== undefined, NO_PYSPY)('a capture that goes wrong', (it) => {
  it('writes into a folder of its own only', async () => {
    const { pid } = await target('paced.py');
    const folder = emptyFolder();
    writeFileSync(`${folder}/thesis.tex`, 'x');
    const error = await errorOf(requestFor(pid, { folder }));
    expect([error.finding.id, error.exitCode]).toEqual(['folder-not-empty', 2]);
    expect(readdirSync(folder)).toEqual(['thesis.tex']);
  });

  it('says so when the target ends before anything was recorded', async () => {
    const live = await target('paced.py');
    const request = requestFor(live.pid);
    await live.stop();
    expect((await errorOf(request)).finding.id).toBe('target-ended');
    expect(filesIn(request.folder)).toEqual([]);
  });

  it('keeps what came before the target replaced its program, though pid, start and executable stay', async () => {
    const { pid, tell } = await target('replaced.py');
    const request = requestFor(pid, { durationS: 30, sliceS: 1, baselineS: 1 });
    let told = false;
    const recording = await capture(request, (doneS) => {
      if (doneS > 1.5 && !told) {
        told = true;
        tell();
      }
    });
    expect(recording.ended).toBe('target-ended');
    const kept = recording.slices.map(({ file }) => file);
    expect(kept.length).toBeGreaterThan(0);
    expect(filesIn(request.folder).filter((file) => file.endsWith('.raw'))).toEqual(kept);
    expect(recording.findings.map(({ id }) => id)).toContain('target-replaced');
    expect(recording.findings.map(({ id }) => id)).not.toContain('target-ended');
    expect(recording.loopRates.every(({ after }) => after.length === 0)).toBe(true);
    expect(await readManifest(request.folder)).toEqual(recording);
  });

  it('says so when the target replaced its program before anything was recorded', async () => {
    const { pid } = await target('paced.py');
    const request = requestFor(pid);
    const before = { ...request.target, exe: '/usr/bin/launcher' };
    expect((await errorOf({ ...request, target: before })).finding).toMatchObject({
      id: 'target-replaced',
      why: `It runs ${request.target.command[0]} now: most likely it was a launcher that starts the simulation under its own number.`,
      fix: `profiler attach --pid ${pid}`,
    });
  });

  it('names what the target runs now, and how to find the simulation, where that is no simulator', async () => {
    const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      await vi.waitUntil(() => readCommand(sleeper.pid!)[0] === 'sleep');
      const request = requestFor(sleeper.pid!);
      const before = { ...request.target, exe: '/usr/bin/launcher' };
      expect((await errorOf({ ...request, target: before })).finding).toMatchObject({
        id: 'target-replaced',
        why: 'It runs sleep now, which is neither a Python nor a Node.js.',
        fix: 'profiler attach --match REGEX  (a part of the command line of the simulation)',
      });
    } finally {
      sleeper.kill();
    }
  });

  it('touches neither target nor disk in a dry run, and plans exactly what then runs', async () => {
    const { pid } = await target('paced.py');
    const folder = `${emptyFolder()}/new`;
    const request = requestFor(pid, { folder, durationS: 1 });
    const plan = await dryRun(request);
    expect(existsSync(folder)).toBe(false);
    const recording = await capture(request);
    // The compiled sampler lies elsewhere in a test.
    const states = plan.commands[0]?.argv.map((word) => (word.endsWith('/main.js') ? stateSampler() : word));
    expect(plan.commands).toHaveLength(3);
    expect(recording.commands).toEqual([states, ...plan.commands.slice(1).map(({ argv }) => argv)]);
  });

  it('leaves nothing behind when it is killed itself', async () => {
    const { pid } = await target('unpaced.py');
    const folder = emptyFolder();
    const request = requestFor(pid, { folder, durationS: 60, sliceS: 2 });
    const child = spawn(process.execPath, [path('record-until-killed.mjs'), JSON.stringify(request)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, XDG_STATE_HOME: emptyFolder() },
    });
    await once(createInterface({ input: child.stdout }), 'line');
    const states = `${stateSampler()}\0${pid}\0`;
    expect(processesNaming(states)).toHaveLength(1);
    expect(followersOf(pid)).toHaveLength(1);
    child.kill('SIGKILL');
    await vi.waitFor(
      () => expect([...processesNaming(states), ...followersOf(pid), ...processesNaming(folder)]).toEqual([]),
      30_000,
    );
    expect(processState(pid)).toMatch(/[RS]/);
  });
});

describeWhere(pyspy !== undefined && disk !== undefined, 'needs py-spy and the right to mount a small disk')(
  'a full disk',
  (it) => {
    it('ends the capture, names the folder and keeps the slices that were written', async () => {
      const { pid } = await target('paced.py');
      const folder = smallDisk() ?? '';
      mounts.push(folder);
      const request = requestFor(pid, { folder: `${folder}/recording`, durationS: 60, sliceS: 1 });
      let filled = false;
      const { finding } = await errorOf(request, (doneS) => {
        if (doneS < 1.6 || filled) return;
        filled = true;
        fill(folder);
      });
      expect(finding).toMatchObject({ level: 'blocker', id: 'disk-full', fix: `df -h ${request.folder}` });
      expect(finding.what).toContain(request.folder);
      expect(finding.why).toMatch(/^The first \d slices? \(\d\.\d s\) are kept in it\.$/);
      expect((await readManifest(request.folder)).slices.length).toBeGreaterThan(0);
      expect(processesNaming(request.folder)).toEqual([]);
    });

    it('that is full from the start leaves nothing in it, and says that nothing was kept', async () => {
      const { pid } = await target('paced.py');
      const folder = smallDisk() ?? '';
      mounts.push(folder);
      const request = requestFor(pid, { folder: `${folder}/recording`, durationS: 60, sliceS: 1 });
      let filled = false;
      const { finding } = await errorOf(request, () => {
        if (!filled) fill(folder);
        filled = true;
      });
      expect(finding).toMatchObject({ id: 'disk-full', why: 'Nothing could be kept.' });
      expect(filesIn(request.folder).filter((file) => !file.endsWith('.log'))).toEqual(['slices']);
    });
  },
);
