import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordingsCommand } from '../../src/cli/recordings.js';
import { loadSource } from '../../src/cli/source.js';
import { ProfilerError } from '../../src/model/index.js';
import { findRecording, pruneRecordings, writeRecording } from '../../src/recording/index.js';
import { builtInPacks, compileRules } from '../../src/rules/index.js';
import { recording, temporaryFolders } from './example.js';

const folder = temporaryFolders();
const NAME = 'loop-2026-11-29T14-02-11';
const KILLED = new Date('2026-11-29T14:02:20Z');
const LATER = new Date('2026-11-29T15:00:00Z');

/** What a profiler leaves that was killed in its first slice. */
function killed(cwd: string, file = '000.samples'): string {
  const slices = join(cwd, 'recordings', NAME, 'slices');
  mkdirSync(slices, { recursive: true });
  const path = join(slices, file);
  writeFileSync(path, 'sim-profiler cpython samples 1\n');
  utimesSync(path, KILLED, KILLED);
  return path;
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => (error instanceof ProfilerError ? error.finding : error),
  );
}

async function printed(cwd: string, ...args: string[]): Promise<string> {
  const out: string[] = [];
  const io = {
    cwd,
    style: { width: 200, color: false },
    out: async (text: string | Uint8Array) => {
      out.push(String(text));
    },
  };
  await recordingsCommand(io, () => LATER).parseAsync(args, { from: 'user' });
  return out.join('');
}

const FINDING = {
  id: 'recording-unfinished',
  what: `The recording recordings/${NAME} was never finished: it holds samples, but no recording.json.`,
  why: 'Its profiler was killed, or is still at work; its samples can be read without what the kernel counted.',
  fix: `profiler hot recordings/${NAME}/slices/000.samples`,
};

describe('a recording whose profiler was killed', () => {
  it.each([[undefined], [NAME], ['loop'], [`recordings/${NAME}`]])(
    'is called unfinished where %s is asked for, with the line that reads it',
    async (wanted) => {
      const cwd = folder();
      killed(cwd);
      expect(await failure(findRecording(cwd, wanted))).toEqual({ ...FINDING, level: 'blocker' });
      const io = { cwd, stdin: () => process.stdin, stdinIsTerminal: true };
      const rules = compileRules(builtInPacks);
      expect(await failure(loadSource(io, wanted, undefined, rules))).toEqual({
        ...FINDING,
        level: 'blocker',
      });
    },
  );

  it('is not in the way of one that was finished', async () => {
    const cwd = folder();
    killed(cwd);
    await writeRecording(join(cwd, 'recordings/whole'), recording());
    expect((await findRecording(cwd)).name).toBe('whole');
  });

  it('is read by way of perf where perf took it', async () => {
    const cwd = folder();
    killed(cwd, '000.perf.data');
    expect(await failure(findRecording(cwd))).toMatchObject({
      fix: `perf script -i recordings/${NAME}/slices/000.perf.data | profiler hot -`,
    });
  });

  it('is listed', async () => {
    const cwd = folder();
    const file = killed(cwd);
    const lines = (await printed(cwd, 'list')).split('\n');
    expect(lines[1]!.trim().split(/\s+/)).toEqual([NAME, 'unfinished']);
    const path = join(cwd, 'recordings', NAME);
    expect(JSON.parse(await printed(cwd, 'list', '--json'))).toMatchObject({
      recordings: [],
      unfinished: [{ name: NAME, path, file }],
      findings: [{ ...FINDING, level: 'note' }],
    });
  });

  it('is pruned as others are', async () => {
    const cwd = folder();
    killed(cwd);
    expect(await printed(cwd, 'prune', '--keep', '1')).toBe('removed 0 recordings, 1 kept\n');
    expect(await printed(cwd, 'prune', '--keep', '0')).toBe(`removed ${NAME}\nremoved 1 recording, 0 kept\n`);
    expect(existsSync(join(cwd, 'recordings', NAME))).toBe(false);
  });

  it('stays while samples may still come', async () => {
    const cwd = folder();
    killed(cwd);
    const soon = new Date(KILLED.getTime() + 9000);
    expect(await pruneRecordings(cwd, { keep: 0 }, soon)).toEqual({ removed: [], kept: [] });
    expect(existsSync(join(cwd, 'recordings', NAME))).toBe(true);
  });
});
