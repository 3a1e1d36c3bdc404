import { symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkProfile, framesOf } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';
import { readRecording } from '../../src/recording/index.js';
import { laidOut, recording, slice, temporaryFolders, threadAccounting } from './example.js';

const folder = temporaryFolders();

const ENGINE = '/srv/app/roqsim/engine.py';

/** `thread|frame;frame weight`, in the order of the profile. */
function lines(profile: Profile): string[] {
  const { samples } = profile;
  return Array.from({ length: samples.length }, (_, i) => {
    const thread = profile.threads[samples.thread[i]!]!;
    const frames = framesOf(profile, samples.stack[i]!)
      .map((index) => profile.frames[index]!)
      .map((f) => `${f.name} (${f.file}:${f.line})`);
    return `${thread.tid} ${thread.name}|${frames.join(';')} ${samples.weight[i]}`;
  });
}

/** Of the V8 profiler: 4 ms apart from the first on. */
const cpuprofileOf = (name: string, startTime = 1000): string =>
  JSON.stringify({
    nodes: [
      { id: 1, callFrame: { functionName: '(root)', url: '' }, children: [2] },
      { id: 2, callFrame: { functionName: name, url: 'file:///srv/loop.mjs', lineNumber: 2 } },
    ],
    startTime,
    endTime: startTime + 12_000,
    samples: [2, 2, 2],
    timeDeltas: [0, 4000, 4000],
  });

describe('readRecording', () => {
  it('puts the slices together, in the words of the recording', async () => {
    const path = await laidOut(
      folder(),
      recording({
        slices: [
          slice({ accounting: [threadAccounting({ nsTid: 27 })] }),
          slice({ file: 'slices/001.raw', accounting: [threadAccounting({ nsTid: 27 })] }),
        ],
        sources: {
          [ENGINE]: {
            short: 'roqsim/engine.py',
            lines: { '277': 'def step(self):', '278': '    mj_step(m, d)  ' },
          },
        },
        threadIds: { '140001': 48211 },
      }),
      {
        'slices/000.raw': `thread (140001): MainThread;step (${ENGINE}:278) 10\nthread (140001): MainThread;step (${ENGINE}:300) 2\n`,
        'slices/001.raw': `thread (140001): MainThread;step (${ENGINE}:278) 5\n`,
      },
    );
    const { profile, findings, path: named } = await readRecording(path);
    expect(findings).toEqual([]);
    expect(named).toBe(path);
    expect(lines(profile)).toEqual([
      '48211 MainThread|step (roqsim/engine.py:278) 15',
      '48211 MainThread|step (roqsim/engine.py:300) 2',
    ]);
    expect(profile.threads).toEqual([{ tid: 48211, nsTid: 27, name: 'MainThread' }]);
    expect(profile.frames.map((frame) => frame.sourceText)).toEqual(['mj_step(m, d)', undefined]);
    expect(profile.origin).toEqual({ format: 'recording', path });
    expect(checkProfile(profile)).toEqual([]);
  });

  it('keeps the times of slices that have them, since the first began', async () => {
    const part = { format: 'cpuprofile', accounting: [threadAccounting({})] };
    const path = await laidOut(
      folder(),
      recording({
        rateHz: 250,
        slices: [
          slice({ ...part, file: 'slices/000.cpuprofile', startNs: '9007199254740993000' }),
          slice({
            ...part,
            file: 'slices/001.cpuprofile',
            startNs: '9007199256740993000',
            endNs: '9007199258740993000',
          }),
        ],
      }),
      { 'slices/000.cpuprofile': cpuprofileOf('step'), 'slices/001.cpuprofile': cpuprofileOf('publish') },
    );
    const { profile, findings } = await readRecording(path);
    expect(findings).toEqual([]);
    expect([...profile.samples.timeNs!]).toEqual([0, 4e6, 8e6, 2e9, 2e9 + 4e6, 2e9 + 8e6]);
    expect(lines(profile).map((line) => line.replace(/^.*\|/, ''))).toEqual([
      ...Array.from({ length: 3 }, () => 'step (/srv/loop.mjs:3) 1'),
      ...Array.from({ length: 3 }, () => 'publish (/srv/loop.mjs:3) 1'),
    ]);
  });

  it.each([
    ['by the clock of V8, which began them at its own time', 2_006_300, 2_005_300_000],
    ['by their stamps where that is another clock', 70_000_000, 2_000_000_000],
  ])('puts slices of V8 behind each other %s', async (_, startTime, second) => {
    const part = { format: 'cpuprofile', samples: 3, errors: 0, exit: 0, accounting: [] };
    const path = await laidOut(
      folder(),
      recording({
        rateHz: 250,
        slices: [
          slice({ ...part, file: 'slices/000.cpuprofile', startNs: '5000000000', endNs: '6000000000' }),
          slice({ ...part, file: 'slices/001.cpuprofile', startNs: '7000000000', endNs: '8000000000' }),
        ],
      }),
      { 'slices/000.cpuprofile': cpuprofileOf('a'), 'slices/001.cpuprofile': cpuprofileOf('b', startTime) },
    );
    const { profile } = await readRecording(path);
    expect([...profile.samples.timeNs!]).toEqual([0, 4e6, 8e6, second, second + 4e6, second + 8e6]);
  });

  it('makes one frame of one file that was printed under two paths', async () => {
    const source = { short: 'roqsim/engine.py', lines: {} };
    const path = await laidOut(
      folder(),
      recording({
        slices: [slice()],
        sources: { '/a/roqsim/engine.py': source, '/b/roqsim/engine.py': source },
      }),
      { 'slices/000.raw': 'step (/a/roqsim/engine.py:1) 3\nstep (/b/roqsim/engine.py:1) 4\n' },
    );
    const { profile } = await readRecording(path);
    expect(profile.frames).toHaveLength(1);
    expect(profile.samples.length).toBe(1);
    expect(profile.samples.weight[0]).toBe(7);
  });

  it('says which slice could not be read, and counts the others', async () => {
    const outside = folder();
    writeFileSync(join(outside, 'secret.raw'), 'secret (x.py:1) 1\n');
    const path = await laidOut(
      folder(),
      recording({
        slices: [
          slice(),
          slice({ file: 'slices/001.raw' }),
          slice({ file: `../${outside.split('/').at(-1)}/secret.raw` }),
          slice({ file: 'slices/link.raw' }),
          slice({ file: 'slices' }),
          slice({ file: 'slices/002.raw', format: 'no-such-format' }),
        ],
      }),
      { 'slices/000.raw': 'step (a.py:1) 3\n', 'slices/002.raw': 'step (a.py:1) 5\n' },
    );
    symlinkSync(join(outside, 'secret.raw'), join(path, 'slices/link.raw'));
    const { profile, findings } = await readRecording(path);
    expect(profile.samples.weight).toEqual(new Float64Array([3]));
    expect(findings.map((finding) => [finding.level, finding.id])).toEqual(
      Array.from({ length: 5 }, () => ['warning', 'slice-unreadable']),
    );
    expect(findings[0]!.what).toBe('Slice slices/001.raw (2.0 s) could not be read: ENOENT.');
    expect(findings[1]!.what).toContain('it lies outside of the recording');
    expect(findings[2]!.what).toContain('it lies outside of the recording');
    expect(findings[3]!.what).toContain('it is not a file');
  });

  it.each([
    ['', 'it is empty, though the sampler wrote 500'],
    ['\u0000\u0001 noise\n', 'no sample can be found in it, though the sampler wrote 500'],
  ])('does not take a damaged slice for an idle target: %j', async (text, reason) => {
    const path = await laidOut(folder(), recording({ slices: [slice()] }), { 'slices/000.raw': text });
    const { profile, findings } = await readRecording(path);
    expect(profile.samples.length).toBe(0);
    expect(findings.map(({ what }) => what)).toEqual([
      `Slice slices/000.raw (2.0 s) could not be read: ${reason}.`,
    ]);
    const idle = await laidOut(folder(), recording({ slices: [slice({ samples: 0 })] }), {
      'slices/000.raw': '',
    });
    expect((await readRecording(idle)).findings).toEqual([]);
  });

  it('is not fooled by names that every object has', async () => {
    const path = await laidOut(folder(), recording({ slices: [slice()], sources: {}, threadIds: {} }), {
      'slices/000.raw': 'thread (7): constructor;toString (constructor:1) 2\n',
    });
    expect(lines((await readRecording(path)).profile)).toEqual(['7 constructor|toString (constructor:1) 2']);
  });

  it('gives an empty profile where nothing was sampled', async () => {
    const path = folder();
    await mkdir(join(path, 'slices'));
    await laidOut(path, recording());
    const { profile, findings } = await readRecording(path);
    expect(profile.samples.length).toBe(0);
    expect(findings).toEqual([]);
  });

  it('reads what perf took beside the slices, by the names of the kernel', async () => {
    const native = { file: 'slices/000.folded', format: 'pyspy-raw', rateHz: 499, wall: true };
    const path = await laidOut(
      folder(),
      recording({ slices: [slice({ native, accounting: [threadAccounting({ name: 'dds.recv' })] })] }),
      {
        'slices/000.raw': 'thread (48211): MainThread;step (a.py:1) 500\n',
        'slices/000.folded': 'thread (48211): Umask:\t0022;mj_step (libmujoco.so) 7\n',
      },
    );
    const { native: found, findings } = await readRecording(path);
    expect(findings).toEqual([]);
    expect(found).toMatchObject({ rateHz: 499, wall: true });
    expect(found?.profile.threads).toEqual([{ tid: 48211, name: 'dds.recv' }]);
  });

  it.each([
    ['is not there', undefined, 'ENOENT'],
    ['is empty', '', 'no sample can be found in it'],
  ])('tells of what perf took and %s, which takes nothing from the lines', async (_, text, why) => {
    const native = { file: 'slices/000.folded', format: 'pyspy-raw', rateHz: 499, wall: true };
    const path = await laidOut(folder(), recording({ slices: [slice({ native })] }), {
      'slices/000.raw': 'thread (48211): MainThread;step (a.py:1) 500\n',
      ...(text === undefined ? {} : { 'slices/000.folded': text }),
    });
    const { profile, findings } = await readRecording(path);
    expect(profile.samples.weight[0]).toBe(500);
    expect(findings).toMatchObject([
      {
        level: 'warning',
        id: 'native-unreadable',
        what: `What perf saw beside a slice (slices/000.folded) could not be read: ${why}.`,
      },
    ]);
  });
});
