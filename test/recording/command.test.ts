import { truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordingsCommand } from '../../src/cli/recordings.js';
import { ProfilerError } from '../../src/model/index.js';
import { newRecordingFolder, writeRecording } from '../../src/recording/index.js';
import { recording, slice, temporaryFolders } from './example.js';

const folder = temporaryFolders();
const NOW = new Date('2026-11-30T12:00:00Z');

const run = (cwd: string, ...args: string[]): Promise<string> => runAt(120, cwd, ...args);

async function runAt(width: number, cwd: string, ...args: string[]): Promise<string> {
  let text = '';
  const io = {
    out: (part: string | Uint8Array) => {
      text += String(part);
      return Promise.resolve();
    },
    cwd,
    style: { width, color: false },
  };
  await recordingsCommand(io, () => NOW).parseAsync(args, { from: 'user' });
  return text;
}

async function two(): Promise<string> {
  const cwd = folder();
  for (const [day, label] of [
    ['27', 'a\u001b[31m'],
    ['29', 'after'],
  ] as const) {
    const time = new Date(`2026-11-${day}T12:00:00Z`);
    const path = await newRecordingFolder(cwd, label, () => time);
    await writeRecording(path, recording({ label, createdAt: time.toISOString(), slices: [slice()] }));
  }
  return cwd;
}

describe('profiler recordings', () => {
  it('lists them, newest first, with hostile labels made visible', async () => {
    const text = await run(await two());
    const [head, ...rows] = text.trimEnd().split('\n');
    expect(head!.trim().split(/ {2,}/)).toEqual(['recording', 'label', 'window', 'ended', 'command']);
    expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
      ['after-2026-11-29T12-00-00', 'after', '2.0 s', 'complete', 'python3 run_bridge.py'],
      ['a-31m-2026-11-27T12-00-00', 'a\\x1b[31m', '2.0 s', 'complete', 'python3 run_bridge.py'],
    ]);
  });

  it('never cuts the names that one has to type', async () => {
    const cwd = folder();
    const label = 'rover_simulation_'.repeat(3);
    const path = await newRecordingFolder(cwd, label, () => NOW);
    await writeRecording(path, recording({ label }));
    for (const width of [40, 80]) expect(await runAt(width, cwd)).toContain(`  ${basename(path)}  `);
  });

  it('lists them as JSON, raw, with a warning for a damaged one', async () => {
    const cwd = await two();
    truncateSync(join(cwd, 'recordings/after-2026-11-29T12-00-00/recording.json'), 30);
    const answer = JSON.parse(await run(cwd, 'list', '--json'));
    expect(answer).toMatchObject({ schema: 'sim-profiler/v1', kind: 'recordings' });
    expect(answer.recordings).toMatchObject([
      { label: 'a\u001b[31m', wallS: 2, pid: 48211, ended: 'complete' },
    ]);
    expect(answer.findings).toMatchObject([{ level: 'warning', id: 'recording-damaged' }]);
    expect(await run(cwd)).toContain('Warning: ');
  });

  it('says what to type where there are none', async () => {
    expect(await run(folder())).toBe('No recordings in this folder yet.  next: profiler attach --pid PID\n');
  });

  it('shows one', async () => {
    const cwd = await two();
    const text = await run(cwd, 'show', 'after');
    expect(text).toContain('  target     pid 48211: python3 run_bridge.py\n');
    expect(text).toContain('  window     2.0 s of 20 s at 250 Hz\n');
    expect(text).toContain('  ran        chrt -f 50 py-spy record --pid 48211\n');
    const answer = JSON.parse(await run(cwd, 'show', '--json'));
    expect(answer.kind).toBe('recording');
    expect(answer.recording.label).toBe('after');
  });

  it('prunes only when told what may go', async () => {
    const cwd = await two();
    const error: unknown = await run(cwd, 'prune').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProfilerError);
    expect((error as ProfilerError).exitCode).toBe(2);
    expect(await run(cwd, 'prune', '--older-than', '2', '--dry-run')).toBe(
      'would remove a-31m-2026-11-27T12-00-00\nwould remove 1 recording, 1 kept\n',
    );
    const answer = JSON.parse(await run(cwd, 'prune', '--keep', '1', '--json'));
    expect(answer.removed.map((entry: { name: string }) => entry.name)).toEqual([
      'a-31m-2026-11-27T12-00-00',
    ]);
    expect(await run(cwd, 'prune', '--keep', '0')).toBe(
      'removed after-2026-11-29T12-00-00\nremoved 1 recording, 0 kept\n',
    );
  });
});
