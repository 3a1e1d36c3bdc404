import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findGilRange,
  findTarget,
  pthreadTids,
  sameProcess,
  threads,
  type Target,
} from '../../src/target/index.js';
import { findPythons, program, start, type OwnFacts, type Started } from './pythons.js';

const pythons = findPythons();
const FUTEX = '202';

/** Addresses of the futexes that a thread was seen waiting on, in `looks` looks without a pause. */
function futexAddresses(pid: number, looks: number): bigint[] {
  const addresses: bigint[] = [];
  for (let look = 0; look < looks && addresses.length < 300; look += 1) {
    const [call, address] = readFileSync(`/proc/${pid}/task/${pid}/syscall`, 'utf8').split(' ');
    if (call === FUTEX && address !== undefined) addresses.push(BigInt(address));
  }
  return addresses;
}

it('finds a Python to test with', () => {
  expect(pythons.length).toBeGreaterThan(0);
});

describe.each(pythons)('CPython $version at $path', ({ path, version }) => {
  let started: Started;
  let own: OwnFacts;
  let target: Target;

  beforeAll(async () => {
    started = await start(path, [program('contended.py')]);
    own = JSON.parse(started.lines[0] ?? '{}') as OwnFacts;
    target = findTarget({ pid: started.pid, selfPid: process.pid });
  });
  afterAll(() => started.stop());

  it('tells version, build and C library from outside', () => {
    expect(target).toMatchObject({
      pid: own.pid,
      runtime: 'python',
      runtimeVersion: version,
      freeThreaded: false,
      libc: 'glibc',
    });
    expect(own.version).toBe(version);
  });

  it('finds where the interpreter keeps its GIL', () => {
    const range = findGilRange(target);
    expect(range?.start.toString()).toBe(own.runtime);
    expect(Number((range?.end ?? 0n) - (range?.start ?? 0n))).toBeGreaterThan(500);
  });

  it.runIf(process.arch === 'x64')('covers every futex that a thread waiting for the GIL sleeps on', () => {
    const range = findGilRange(target);
    const addresses = futexAddresses(target.pid, 50_000);
    expect(addresses.length).toBeGreaterThan(100);
    const outside = addresses.filter((address) => !range || address < range.start || address >= range.end);
    expect(outside).toEqual([]);
  });

  it('lists the threads', () => {
    expect(threads(target).map(({ tid }) => tid)).toEqual(
      own.threads.map(({ tid }) => tid).sort((a, b) => a - b),
    );
  });

  it('maps pthread ids to thread ids', () => {
    const ids = own.threads.map(({ ident }) => BigInt(ident));
    const found = pthreadTids(target, ids);
    expect(found && Object.fromEntries([...found].map(([id, tid]) => [String(id), tid]))).toEqual(
      Object.fromEntries(own.threads.map(({ ident, tid }) => [ident, tid])),
    );
  });

  it('gives no thread ids where the check on the first thread fails', () => {
    const others = own.threads.filter(({ tid }) => tid !== own.pid).map(({ ident }) => BigInt(ident));
    expect(pthreadTids(target, others)).toBeUndefined();
    expect(pthreadTids(target, [4096n])).toBeUndefined();
  });

  it('knows the process again, and another one under its pid', () => {
    expect(sameProcess(target)).toBe(true);
    expect(sameProcess({ ...target, startTicks: target.startTicks - 1 })).toBe(false);
  });
});
