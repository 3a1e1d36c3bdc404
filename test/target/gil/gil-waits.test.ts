import { describe, expect, it } from 'vitest';
import { GilWaitReader } from '../../../src/target/gil/gil-waits.js';

/** Lines as the kernel prints them, for a trace whose clock says `1.` and these microseconds. */
const at = (thread: string, tid: number, us: number, event: string): string =>
  `${thread.padStart(16)}-${String(tid).padEnd(7)} [001] d..2. 1.${String(us).padStart(6, '0')}: ${event}\n`;
const ask = (tid: number, us: number): string => at('python', tid, us, 'g_ask: (0x5581)');
const back = (tid: number, us: number, caller: string): string =>
  at('python', tid, us, `g_back: (0x5585) c=${caller}`);
const have = (tid: number, us: number): string => at('python', tid, us, 'g_have: (0x5599 <- 0x5581)');
const turn = (from: number, us: number, state: string, to: number, name = 'python'): string =>
  at(
    'python',
    from,
    us,
    `sched_switch: prev_comm=${name} prev_pid=${from} prev_prio=120 prev_state=${state} ==> next_comm=${name} next_pid=${to} next_prio=120`,
  );
const wake = (by: number, us: number, tid: number): string =>
  at('python', by, us, `sched_waking: comm=python pid=${tid} prio=120 target_cpu=000`);

function read(...lines: readonly string[]) {
  const reader = new GilWaitReader();
  reader.push(lines.join(''));
  return reader.taken();
}

const S = 1e9;
const moment = (us: number): number => S + us * 1000;

/** Thread 7 comes back at 100, sleeps from 110, is woken at 500 and runs again at 530. */
const WAITED = [
  back(7, 99, '0x7f001234'),
  ask(7, 100),
  turn(7, 110, 'S', 0),
  wake(8, 500, 7),
  turn(0, 530, 'R', 7),
  have(7, 540),
];
const TAKEN = {
  tid: 7,
  startNs: moment(100),
  endNs: moment(540),
  blockedNs: 390e3,
  runnableNs: 30e3,
  caller: 0x7f001234n,
};

describe('a trace of who takes the GIL', () => {
  it('tells the sleep from the wait for a CPU behind it', () => {
    expect(read(...WAITED)).toEqual([TAKEN]);
  });

  it('has no wait where the GIL was free, though the thread lost its CPU meanwhile', () => {
    expect(read(ask(7, 100), turn(7, 110, 'R+', 9), turn(9, 150, 'S', 7), have(7, 160))).toEqual([
      {
        tid: 7,
        startNs: moment(100),
        endNs: moment(160),
        blockedNs: 0,
        runnableNs: 40e3,
        caller: undefined,
      },
    ]);
  });

  it('knows nobody who asked where the interpreter did, also after one who asked', () => {
    expect(read(...WAITED, ask(7, 600), have(7, 601)).map(({ caller }) => caller)).toEqual([
      0x7f001234n,
      undefined,
    ]);
  });

  it('takes both ends of one function for one, in either order', () => {
    const both = [back(7, 100, '0x10'), ask(7, 100)];
    expect(read(...both, have(7, 101))[0]?.caller).toBe(0x10n);
    expect(read(...both.toReversed(), have(7, 101))[0]?.caller).toBe(0x10n);
  });

  it('puts in order what processors wrote each for itself, in whatever pieces it comes', () => {
    const reader = new GilWaitReader();
    const taken = [];
    for (const character of [WAITED[0], WAITED[1], WAITED[3], WAITED[2], ...WAITED.slice(4)].join('')) {
      reader.push(character);
      taken.push(...reader.taken(moment(0)));
    }
    expect(taken).toEqual([]);
    expect(reader.taken(moment(5539))).toEqual([]);
    expect(reader.taken(moment(5540))).toEqual([TAKEN]);
  });

  it('counts a wait that has not ended', () => {
    const reader = new GilWaitReader();
    reader.push(WAITED.slice(0, 3).join(''));
    expect(reader.taken()).toEqual([]);
    expect(reader.unfinished(moment(1110))).toEqual([
      { ...TAKEN, endNs: moment(1110), blockedNs: 1e6, runnableNs: 0 },
    ]);
    expect(reader.unfinished(moment(2000))).toEqual([]);
  });

  it('keeps threads apart', () => {
    const other = [ask(9, 120), turn(9, 130, 'D', 0), wake(7, 200, 9), turn(0, 200, 'R', 9), have(9, 220)];
    expect(read(...WAITED.slice(0, 3), ...other, ...WAITED.slice(3))).toEqual([
      {
        tid: 9,
        startNs: moment(120),
        endNs: moment(220),
        blockedNs: 70e3,
        runnableNs: 0,
        caller: undefined,
      },
      TAKEN,
    ]);
  });

  const NAMES = [
    ' next_pid=7 ',
    ' pid=7 prio=1',
    '] 1.0: g_ask:',
    '==> next_comm=',
    'a\u001b[31m',
    'one\ntwo',
    '\n\n\n',
    'x\nCPU:1',
  ];

  it('lets nothing be told by the name of another thread', () => {
    for (const name of NAMES) {
      const foreign = [turn(3, 520, 'S', 4, name), at(name, 3, 521, 'g_ask: (0x5581)')];
      expect(read(...WAITED.slice(0, 4), ...foreign, ...WAITED.slice(4)), name).toEqual([TAKEN]);
    }
  });

  it('is told of a thread whatever its own name is', () => {
    for (const name of NAMES) {
      const own = WAITED.map((line) =>
        line.replaceAll('=python', `=${name}`).replace('          python-', `${name.padStart(16)}-`),
      );
      expect(read(...own), name).toEqual([TAKEN]);
    }
  });

  it('leaves out time in which the thread was stopped', () => {
    const stopped = [
      ask(7, 100),
      turn(7, 110, 'S', 0),
      wake(8, 200, 7),
      turn(0, 210, 'R', 7),
      turn(7, 220, 'T', 0),
      wake(8, 900, 7),
      turn(0, 910, 'R', 7),
      turn(7, 915, 'S', 0),
      wake(8, 950, 7),
      turn(0, 951, 'R', 7),
      have(7, 960),
    ];
    expect(read(...stopped)).toMatchObject([{ blockedNs: 125e3, runnableNs: 21e3 }]);
  });

  it('tells copies of the function apart by a number', () => {
    const [first = '', ...rest] = WAITED.map((line) => line.replace(/g_(ask|have):/, 'g_$11:'));
    expect(read(first, ...rest)).toEqual([TAKEN]);
  });

  it('counts what cannot be read as lost', () => {
    const reader = new GilWaitReader();
    reader.push(
      [at('a', 3, 1, 'sched_switch: prev=1'), at('a', 3, 2, 'sched_waking: x'), ...WAITED].join(''),
    );
    expect(reader.taken()).toEqual([TAKEN]);
    expect(reader.lost).toBe(2);
  });

  it('knows nothing of a wait that a hole is in', () => {
    const reader = new GilWaitReader();
    reader.push([...WAITED.slice(0, 3), 'CPU:1 [LOST 40 EVENTS]\n', ...WAITED.slice(3)].join(''));
    expect(reader.taken()).toEqual([]);
    expect(reader.lost).toBe(40);
    reader.push(WAITED.join(''));
    expect(reader.taken()).toEqual([TAKEN]);
  });
});
