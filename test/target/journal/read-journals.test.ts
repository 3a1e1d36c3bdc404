import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lookIntoJournals, readJournals, readStat } from '../../../src/target/index.js';
import { scratch } from '../scratch.js';

const OWNER = { pid: 1, startTicks: 987_654_321 };
const CREATED = '2026-01-02T03:04:05Z';
const PROCESS = { kind: 'process', pid: 7, startTicks: 8 };
const UNDO = {
  engine: 'unix:///x',
  project: 'demo',
  service: 'bridge',
  folder: '/nowhere',
  capabilities: ['SYS_PTRACE'],
  before: [],
  settled: true,
  cwd: '/',
  restore: ['docker'],
  environment: { A: 'b' },
  unset: [],
};

function bench(): { readonly env: { readonly XDG_STATE_HOME: string }; readonly folder: string } {
  const state = scratch();
  const folder = join(state, 'sim-profiler/journal');
  mkdirSync(folder, { recursive: true });
  return { env: { XDG_STATE_HOME: state }, folder };
}

function becauseOf(content: string | Uint8Array): string | undefined {
  const { env, folder } = bench();
  writeFileSync(join(folder, 'a.json'), content);
  expect(readJournals(env)).toEqual([]);
  return lookIntoJournals(env).unreadable[0]?.because;
}

const of = (...traces: readonly unknown[]): string =>
  JSON.stringify({ owner: OWNER, createdAt: CREATED, traces });

describe('journals on disk', () => {
  it.each([
    ['', 'it is empty'],
    ['{', 'it is damaged: no JSON'],
    [Buffer.from([0, 255, 128, 7]), 'it is damaged: no JSON'],
    [of(PROCESS).slice(0, -5), 'it is damaged: no JSON'],
    ['null', 'it is damaged: no journal'],
    ['[]', 'it is damaged: no journal'],
    ['7', 'it is damaged: no journal'],
    ['{"owner":null}', 'it is damaged: no journal'],
    ['{"owner":{"pid":1}}', 'it is damaged: a part is missing'],
    [JSON.stringify({ owner: OWNER, createdAt: CREATED }), 'it is damaged: a part is missing'],
    [' '.repeat(1_000_001), 'it has 1000001 bytes, which no journal has'],
  ])('are told of where they are damaged: %#', (content, because) => {
    expect(becauseOf(content)).toBe(because);
  });

  it.each([
    [null],
    ['process'],
    [{ kind: 'toString' }],
    [{ kind: 'process', pid: -1, startTicks: 8 }],
    [{ kind: 'process', pid: 0, startTicks: 8 }],
    [{ kind: 'process', pid: '7', startTicks: 8 }],
    [{ kind: 'file', engine: 'unix:///x', container: 'c' }],
    [{ kind: 'file', engine: 'unix:///x', container: 'c', path: ['/etc/passwd'] }],
    [{ kind: 'container', engine: 'unix:///x', name: 7 }],
    [{ kind: 'image', engine: 'unix:///x' }],
    [{ kind: 'override', undo: {} }],
    [{ kind: 'override', undo: { ...UNDO, restore: [] } }],
    [{ kind: 'override', undo: { ...UNDO, restore: 'rm -rf /' } }],
    [{ kind: 'override', undo: { ...UNDO, before: [{ id: 'x' }] } }],
    [{ kind: 'override', undo: { ...UNDO, folder: '.' } }],
  ])('name nothing that is not complete: %j', (trace) => {
    expect(becauseOf(of(PROCESS, trace))).toBe('it names a thing that this version does not know');
  });

  it('are read where they are whole', () => {
    const { env, folder } = bench();
    const traces = [PROCESS, { kind: 'override', undo: UNDO }];
    const path = join(folder, 'a.json');
    writeFileSync(path, of(...traces));
    expect(lookIntoJournals(env)).toEqual({
      journals: [{ path, owner: OWNER, createdAt: CREATED, traces }],
      unreadable: [],
    });
  });

  it('of a later version that runs are its own affair', () => {
    const { env, folder } = bench();
    const owner = { pid: process.pid, startTicks: readStat(process.pid)?.startTicks };
    const traces = [PROCESS, { kind: 'later' }];
    writeFileSync(join(folder, 'a.json'), JSON.stringify({ owner, createdAt: CREATED, traces }));
    const { journals, unreadable } = lookIntoJournals(env);
    expect([journals[0]?.traces, unreadable]).toEqual([[PROCESS], []]);
  });

  it('are no pipes, folders or links, which are not opened', () => {
    const { env, folder } = bench();
    execFileSync('mkfifo', [join(folder, 'a.json')]);
    mkdirSync(join(folder, 'b.json'));
    execFileSync('ln', ['-s', '/dev/zero', join(folder, 'c.json')]);
    expect(lookIntoJournals(env).unreadable).toEqual(
      ['a', 'b', 'c'].map((name) => ({
        path: join(folder, `${name}.json`),
        because: 'it is no regular file',
        isFile: false,
      })),
    );
  });
});
