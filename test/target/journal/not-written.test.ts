import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolders, notWritten, openJournal } from '../../../src/target/index.js';
import { scratch } from '../scratch.js';

const TRACE = { kind: 'process', pid: 7, startTicks: 8 } as const;

describe('a journal', () => {
  it('says why the disk does not have it, also where a folder refuses children', () => {
    const journal = openJournal({ XDG_STATE_HOME: '/proc/nope' }, 'now');
    expect(notWritten(journal)).toEqual([]);
    journal.add(TRACE);
    expect([journal.failed(), notWritten(journal)]).toEqual(['ENOENT', []]);
    journal.add({ kind: 'image', engine: 'unix:///x', reference: 'sim-profiler/py-spy:1' });
    expect(notWritten(journal)).toEqual([
      expect.objectContaining({
        level: 'note',
        id: 'journal-not-written',
        what: 'What this run made could not be written down in /proc/nope/sim-profiler/journal (ENOENT).',
      }),
    ]);
  });

  it('is written in folders for the owner only, which are made', () => {
    const state = join(scratch(), 'a/b');
    const journal = openJournal({ XDG_STATE_HOME: state }, 'now');
    journal.add(TRACE);
    expect([notWritten(journal), existsSync(journal.path)]).toEqual([[], true]);
    expect(statSync(state).mode & 0o777).toBe(0o700);
  });
});

describe('folders', () => {
  it('are told, outermost first, and those that were there are not', () => {
    const root = scratch();
    mkdirSync(join(root, 'a'));
    const made: string[] = [];
    makeFolders(join(root, 'a/b/c'), made);
    expect(made).toEqual([join(root, 'a/b'), join(root, 'a/b/c')]);
  });
});
