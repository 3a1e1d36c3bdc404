import { writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { findTarget, pthreadTids, threads } from '../../src/target/index.js';
import { procTree, statusText } from './proc-tree.js';
import { findPythons, program, start, type OwnFacts } from './pythons.js';

const FIRST = 0x1000n;
const SECOND = 0x2000n;

/** A process 4711 (27 inside) with two threads whose blocks hold `tids` at `offset`. */
function processWith(offset: number, tids: readonly [number, number]): string {
  const proc = procTree(
    [{ pid: 4711, ppid: 1, args: ['python3'], status: statusText(4711, { NSpid: '4711\t27' }) }],
    {
      '4711/task/4711/comm': 'python3\n',
      '4711/task/4711/status': statusText(4711, { NSpid: '4711\t27' }),
      '4711/task/4720/comm': 'python3\n',
      '4711/task/4720/status': statusText(4720, { NSpid: '4720\t28' }),
    },
  );
  const memory = Buffer.alloc(0x3000);
  memory.writeInt32LE(tids[0], Number(FIRST) + offset);
  memory.writeInt32LE(tids[1], Number(SECOND) + offset);
  writeFileSync(`${proc}/4711/mem`, memory);
  return proc;
}

function tidsOf(proc: string, ids: readonly bigint[]): unknown {
  const found = pthreadTids(findTarget({ pid: 4711, selfPid: 1, proc }), ids, proc);
  return found && [...found];
}

it.each([0x2d0, 0xd0, 0x30])('finds the field at offset %i and gives the host’s ids', (offset) => {
  const proc = processWith(offset, [27, 28]);
  expect(tidsOf(proc, [FIRST, SECOND, FIRST])).toEqual([
    [FIRST, 4711],
    [SECOND, 4720],
  ]);
});

it('leaves an ended thread out', () => {
  expect(tidsOf(processWith(0x2d0, [27, 0]), [FIRST])).toEqual([[FIRST, 4711]]);
  expect(tidsOf(processWith(0x2d0, [27, 28]), [FIRST, SECOND, 0x9_0000n])).toHaveLength(2);
});

it.each([
  ['the first thread is not among them', [28, 99]],
  ['two ids name one thread', [27, 27]],
  ['nothing names a thread', [5, 6]],
] as const)('gives none where %s', (_, tids) => {
  expect(tidsOf(processWith(0x2d0, tids), [FIRST, SECOND])).toBeUndefined();
});

it('gives none where the memory may not be read', () => {
  const proc = procTree([{ pid: 4711, ppid: 1, args: ['python3'] }]);
  expect(tidsOf(proc, [FIRST])).toBeUndefined();
});

it('gives the host’s ids for a real process in another pid namespace', async (context) => {
  const [python] = findPythons();
  const may = await execa('unshare', ['-pf', '--mount-proc', 'true'], { reject: false });
  if (python === undefined || may.exitCode !== 0) return context.skip();
  const started = await start('unshare', ['-pf', '--mount-proc', python.path, program('contended.py')]);
  try {
    const own = JSON.parse(started.lines[0] ?? '{}') as OwnFacts;
    const target = findTarget({ pid: started.pid, selfPid: process.pid });
    expect([target.nsPid, own.pid]).toEqual([1, 1]);
    const hostTids = new Map(threads(target).map(({ tid, nsTid }) => [nsTid, tid]));
    const expected = own.threads.map(({ ident, tid }) => [BigInt(ident), hostTids.get(tid)]);
    const found = pthreadTids(
      target,
      own.threads.map(({ ident }) => BigInt(ident)),
    );
    expect(found && [...found]).toEqual(expected);
  } finally {
    await started.stop();
  }
});
