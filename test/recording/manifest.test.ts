import { readFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ProfilerError } from '../../src/model/index.js';
import { readManifest, writeRecording } from '../../src/recording/index.js';
import { laidOut, recording, slice, temporaryFolders, threadAccounting } from './example.js';

const folder = temporaryFolders();

const WHOLE = recording({
  label: 'before\nfix',
  threadTid: 48212,
  slices: [
    slice({
      behindS: 0.2,
      exit: 'SIGINT',
      accounting: [
        threadAccounting({ nsTid: 27, states: { looks: 9, running: 4, gil: 1, sleep: 3, other: 1 } }),
      ],
    }),
  ],
  loopRates: [{ tid: 48211, measure: 'voluntary-switches', before: [500], during: [499, 500], after: [] }],
  sources: {
    '/srv/app/roqsim/engine.py': { short: 'roqsim/engine.py', lines: { '278': '    mj_step(m, d)' } },
  },
  threadIds: { '140001': 48211 },
  findings: [{ level: 'note', id: 'x', what: 'a', why: 'b' }],
});

async function idOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProfilerError)) throw new Error(`no ProfilerError but ${String(error)}`);
  return error.finding.id;
}

describe('recording.json', () => {
  it('comes back as it was written', async () => {
    const path = join(folder(), 'new');
    await writeRecording(path, WHOLE);
    expect(await readManifest(path)).toEqual(WHOLE);
  });

  it('is for its owner only, and leaves nothing half written', async () => {
    const path = folder();
    await chmod(path, 0o755);
    await laidOut(path, WHOLE);
    await writeRecording(path, { ...WHOLE, ended: 'interrupted' });
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, 'recording.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(path)).toEqual(['recording.json']);
    expect((await readManifest(path)).ended).toBe('interrupted');
  });

  it('says who wrote a newer one, and to update', async () => {
    const path = await laidOut(folder(), WHOLE);
    const newer = { ...WHOLE, schema: 'sim-profiler/recording/v2', version: '3.1.4', slices: 'elsewhere' };
    writeFileSync(join(path, 'recording.json'), JSON.stringify(newer));
    const error: unknown = await readManifest(path).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProfilerError);
    expect((error as ProfilerError).finding).toMatchObject({
      id: 'recording-too-new',
      what: `${join(path, 'recording.json')} has schema sim-profiler/recording/v2, written by sim-profiler 3.1.4; this one reads up to sim-profiler/recording/v1.`,
      fix: 'npm install -g sim-profiler@latest',
    });
  });

  it('lets fields go that it does not know', async () => {
    const path = await laidOut(folder(), WHOLE);
    writeFileSync(join(path, 'recording.json'), JSON.stringify({ ...WHOLE, mood: 'good' }));
    expect(await readManifest(path)).toEqual(WHOLE);
  });

  it.each([
    [
      'cut off',
      (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2)),
      'recording-damaged',
    ],
    ['empty', (path: string) => truncateSync(path, 0), 'recording-damaged'],
    ['another tool’s', (path: string) => writeFileSync(path, '{"bag": 1}'), 'not-a-recording'],
    ['a list', (path: string) => writeFileSync(path, '[]'), 'not-a-recording'],
  ])('is refused when %s', async (_name, damage, id) => {
    const path = await laidOut(folder(), WHOLE);
    damage(join(path, 'recording.json'));
    expect(await idOf(readManifest(path))).toBe(id);
  });

  it('names the field that is wrong', async () => {
    const path = await laidOut(folder(), WHOLE);
    const text = readFileSync(join(path, 'recording.json'), 'utf8');
    writeFileSync(join(path, 'recording.json'), text.replace('"9007199254740993000"', '"soon"'));
    await expect(readManifest(path)).rejects.toThrow('slices.0.startNs: not a number of nanoseconds');
  });

  it('is missed in a folder that has none', async () => {
    expect(await idOf(readManifest(folder()))).toBe('not-a-recording');
    expect(await idOf(readManifest(join(folder(), 'nowhere')))).toBe('not-a-recording');
  });

  it('cannot be written below a file', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    expect(await idOf(writeRecording(join(file, 'x'), WHOLE))).toBe('folder-not-writable');
  });
});
