import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ProfilerError } from '../../src/model/index.js';
import {
  findRecording,
  isRecordingFolder,
  listRecordings,
  newRecordingFolder,
  pruneRecordings,
  recordingsFolder,
  rememberRecording,
  writeRecording,
} from '../../src/recording/index.js';
import { laidOut, recording, temporaryFolders } from './example.js';

const folder = temporaryFolders();
const NOON = new Date('2026-11-29T14:02:11.987Z');
const noon = (): Date => NOON;

/** A folder with three recordings, a day apart: `old`, `mid` and `new`. */
async function threeDays(): Promise<string> {
  const cwd = folder();
  for (const [day, label] of [
    ['27', 'old'],
    ['28', 'mid'],
    ['29', 'new'],
  ] as const) {
    const time = new Date(`2026-11-${day}T12:00:00Z`);
    const path = await newRecordingFolder(cwd, label, () => time);
    await writeRecording(path, recording({ label, createdAt: time.toISOString() }));
  }
  return cwd;
}

async function failure(promise: Promise<unknown>): Promise<ProfilerError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProfilerError)) throw new Error(`no ProfilerError but ${String(error)}`);
  return error;
}

async function labels(cwd: string): Promise<(string | undefined)[]> {
  return (await listRecordings(cwd)).recordings.map((entry) => entry.recording.label);
}

describe('the folder of recordings', () => {
  it('is private and ignored by git', async () => {
    const path = await recordingsFolder(folder());
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(path, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('leaves a folder of that name alone that holds other things', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'recordings'));
    writeFileSync(join(cwd, 'recordings', 'bag.mcap'), '');
    await recordingsFolder(cwd);
    expect(readdirSync(join(cwd, 'recordings'))).toEqual(['bag.mcap']);
  });

  it('says so when it cannot be made', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'recordings'), '');
    expect((await failure(recordingsFolder(cwd))).finding.id).toBe('folder-not-writable');
  });

  it.runIf(process.platform === 'linux')('gives up in a folder that takes no folders', async () => {
    const { what } = (await failure(recordingsFolder('/proc/self'))).finding;
    expect(what).toBe('The folder /proc/self/recordings could not be made (ENOENT).');
  });
});

describe('a new recording folder', () => {
  it('is named after its label and time', async () => {
    const cwd = folder();
    const path = await newRecordingFolder(cwd, 'bridge', noon);
    expect(path).toBe(join(cwd, 'recordings/bridge-2026-11-29T14-02-11'));
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(await newRecordingFolder(cwd, 'bridge', noon)).toBe(`${path}-2`);
  });

  it.each([
    ['../../x', 'x'],
    ['a/b', 'a-b'],
    ['a\nb', 'a-b'],
    ['a\u001b[31mb', 'a-31mb'],
    ['..', 'recording'],
    ['', 'recording'],
    ['-rf', 'rf'],
    ['.hidden', 'hidden'],
    ['a\u202eb', 'a-b'],
    ['Käfer 2', 'Käfer-2'],
    ['$(reboot)', 'reboot'],
    ['v1.2_b', 'v1.2_b'],
    ['x'.repeat(500), 'x'.repeat(60)],
  ])('cleans the label %j', async (label, name) => {
    const cwd = folder();
    const path = await newRecordingFolder(cwd, label, noon);
    expect(path).toBe(join(cwd, 'recordings', `${name}-2026-11-29T14-02-11`));
    expect(readdirSync(cwd)).toEqual(['recordings']);
  });
});

describe('listRecordings', () => {
  it('has the newest first, and names what it cannot read', async () => {
    const cwd = await threeDays();
    const broken = join(cwd, 'recordings/old-2026-11-27T12-00-00/recording.json');
    truncateSync(broken, 100);
    mkdirSync(join(cwd, 'recordings/under-way'));
    symlinkSync(folder(), join(cwd, 'recordings/link'));
    const { recordings, unreadable } = await listRecordings(cwd);
    expect(recordings.map((entry) => entry.recording.label)).toEqual(['new', 'mid']);
    expect(unreadable.map((entry) => [entry.name, entry.finding.id])).toEqual([
      ['old-2026-11-27T12-00-00', 'recording-damaged'],
    ]);
  });

  it('is empty where nothing was recorded', async () => {
    expect(await listRecordings(folder())).toEqual({ recordings: [], unreadable: [], unfinished: [] });
  });
});

describe('findRecording', () => {
  it('finds by label, folder name, path and manifest', async () => {
    const cwd = await threeDays();
    const name = 'mid-2026-11-28T12-00-00';
    const path = join(cwd, 'recordings', name);
    for (const wanted of ['mid', name, `recordings/${name}`, path, join(path, 'recording.json')]) {
      expect((await findRecording(cwd, wanted)).path).toBe(path);
    }
  });

  it('takes the newest of several with one label', async () => {
    const cwd = await threeDays();
    const path = await newRecordingFolder(cwd, 'mid', noon);
    await writeRecording(path, recording({ label: 'mid', createdAt: NOON.toISOString() }));
    expect((await findRecording(cwd, 'mid')).path).toBe(path);
  });

  it('takes the newest folder NAME-TIME, where NAME is no label', async () => {
    const cwd = folder();
    const make = async (name: string, day: string, label?: string): Promise<string> => {
      const time = new Date(`2026-11-${day}T12:00:00Z`);
      const path = await newRecordingFolder(cwd, name, () => time);
      const { label: _, ...made } = recording({ createdAt: time.toISOString() });
      await writeRecording(path, label === undefined ? made : { ...made, label });
      return path;
    };
    await make('bridge', '26');
    const newest = await make('bridge', '27');
    await make('bridge-2', '28');
    await make('bridge-x', '29');
    expect((await findRecording(cwd, 'bridge')).path).toBe(newest);
    for (const part of ['bridg', 'bridge-', 'bridge-2026', ''])
      expect((await failure(findRecording(cwd, part))).finding.id).toBe('recording-not-found');
    const twin = await make('bridge', '27');
    expect(twin).toBe(`${newest}-2`);
    truncateSync(join(newest, 'recording.json'), 10);
    expect((await findRecording(cwd, 'bridge')).path).toBe(twin);
    const labelled = await make('other', '20', 'bridge');
    expect((await findRecording(cwd, 'bridge')).path).toBe(labelled);
  });

  it('says what is wrong with a folder NAME-TIME that is damaged', async () => {
    const cwd = await threeDays();
    truncateSync(join(cwd, 'recordings/old-2026-11-27T12-00-00/recording.json'), 10);
    expect((await failure(findRecording(cwd, 'old'))).finding.id).toBe('recording-damaged');
  });

  it('takes a hostile label as text', async () => {
    const cwd = await threeDays();
    for (const label of ['../../x', 'a/b', 'a\nb']) {
      const path = await newRecordingFolder(cwd, label, noon);
      await writeRecording(path, recording({ label }));
      expect((await findRecording(cwd, label)).path).toBe(path);
    }
  });

  it('prefers a label to a folder of the same name that is no recording', async () => {
    const cwd = await threeDays();
    mkdirSync(join(cwd, 'mid'));
    expect((await findRecording(cwd, 'mid')).recording.label).toBe('mid');
  });

  it('takes the newest without a word', async () => {
    const cwd = await threeDays();
    expect((await findRecording(cwd)).recording.label).toBe('new');
  });

  it('counts the one last written elsewhere, unless a newer one came since or it is gone', async () => {
    const cwd = await threeDays();
    const elsewhere = join(folder(), 'mine');
    const at = async (createdAt: string): Promise<string | undefined> => {
      await laidOut(elsewhere, recording({ label: 'mine', createdAt }));
      expect(await rememberRecording(cwd, elsewhere)).toBe(true);
      return (await findRecording(cwd)).recording.label;
    };
    expect(await at('2026-11-29T12:00:00Z')).toBe('mine');
    expect(await at('2026-11-28T23:00:00Z')).toBe('new');
    expect(await at('2026-12-01T00:00:00Z')).toBe('mine');
    truncateSync(join(elsewhere, 'recording.json'), 5);
    expect((await findRecording(cwd)).recording.label).toBe('new');
  });

  it('does not fail when it cannot note', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'recordings'), '');
    expect(await rememberRecording(cwd, 'x')).toBe(false);
  });

  it('says what is known when a name is not', async () => {
    const cwd = await threeDays();
    const { finding } = await failure(findRecording(cwd, 'after'));
    expect(finding).toMatchObject({
      id: 'recording-not-found',
      why: 'The newest here are "new", "mid", "old".',
      fix: 'profiler recordings list',
    });
    expect((await failure(findRecording(folder()))).finding).toMatchObject({
      id: 'no-recording',
      fix: 'profiler attach --pid PID',
    });
  });

  it('tells why a named one cannot be read', async () => {
    const cwd = await threeDays();
    const name = 'new-2026-11-29T12-00-00';
    truncateSync(join(cwd, 'recordings', name, 'recording.json'), 100);
    expect((await failure(findRecording(cwd, name))).finding.id).toBe('recording-damaged');
    expect(await isRecordingFolder(join(cwd, 'recordings', name))).toBe(true);
    expect(await isRecordingFolder(cwd)).toBe(false);
  });
});

describe('pruneRecordings', () => {
  it.each([
    [{ keep: 1 }, ['new']],
    [{ keep: 0 }, []],
    [{ olderThanDays: 1.5 }, ['new', 'mid']],
    [{ keep: 3, olderThanDays: 0.001 }, ['new', 'mid', 'old']],
    [{ keep: 2, olderThanDays: 0.001 }, ['new', 'mid']],
    [{}, ['new', 'mid', 'old']],
    [{ keep: 0, dryRun: true }, ['new', 'mid', 'old']],
  ])('with %j leaves %j', async (wish, left) => {
    const cwd = await threeDays();
    const { removed, kept } = await pruneRecordings(cwd, wish, new Date('2026-11-29T12:30:00Z'));
    expect(await labels(cwd)).toEqual(left);
    expect(removed.length + kept.length).toBe(3);
  });

  it('never touches what it cannot read as a recording', async () => {
    const cwd = await threeDays();
    const parent = join(cwd, 'recordings');
    const elsewhere = await laidOut(folder(), recording());
    symlinkSync(elsewhere, join(parent, 'link'));
    mkdirSync(join(parent, 'under-way/slices'), { recursive: true });
    mkdirSync(join(parent, 'bag'));
    writeFileSync(join(parent, 'bag/recording.json'), '{"bag": true}');
    writeFileSync(join(parent, 'notes.txt'), 'mine');
    const newer = await newRecordingFolder(cwd, 'newer', noon);
    writeFileSync(join(newer, 'recording.json'), '{"schema": "sim-profiler/recording/v9"}');
    truncateSync(join(parent, 'mid-2026-11-28T12-00-00/recording.json'), 50);
    await pruneRecordings(cwd, { keep: 0 }, NOON);
    expect(readdirSync(parent).sort()).toEqual([
      '.gitignore',
      'bag',
      'link',
      'mid-2026-11-28T12-00-00',
      'newer-2026-11-29T14-02-11',
      'notes.txt',
      'under-way',
    ]);
    expect(existsSync(join(elsewhere, 'recording.json'))).toBe(true);
  });
});
