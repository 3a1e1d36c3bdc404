import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gilLine, type Recording } from '../../src/recording/index.js';
import { contendedRecording, contendedSamples } from '../gil-contention.js';
import { laidOut, temporaryFolders } from '../recording/example.js';
import { runProfiler } from './run-profiler.js';

const folders = temporaryFolders();

const FROM = 9_007_199_254_740_993_000;
const MS = 1e6;

/** So many waits of the main thread of 4 ms each, evenly over its 2 s; every fifth is the interpreter's own. */
function waits(count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const startNs = FROM + Math.floor((index * 2000 * MS) / count);
    const caller = index % 5 === 0 ? -1 : index % 2;
    const one = { startNs, endNs: startNs + 5 * MS, tid: 11, blockedNs: 4 * MS, runnableNs: MS, caller };
    return gilLine(one);
  }).join('');
}

async function recorded(text: string, gil: Partial<Recording['gil']> = {}): Promise<string> {
  const { recording } = await contendedRecording();
  if (recording === undefined) throw new Error('no recording');
  const timed = {
    symbol: 'take_gil' as const,
    isWhole: true,
    callers: [
      { file: '/opt/python/bin/python3.12', symbol: 'time_sleep' },
      { file: '/opt/mujoco/_functions.cpython-312-x86_64-linux-gnu.so', symbol: '_ZN7mujoco4stepEv' },
    ],
    file: 'gil.tsv',
    ...gil,
  };
  return laidOut(
    join(folders(), 'r'),
    { ...recording, gil: timed },
    {
      'slices/000.samples': contendedSamples(),
      'gil.tsv': text,
    },
  );
}

async function told(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runProfiler(args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out.replaceAll(/\s+/g, ' ');
}

describe('a wait for the GIL that the kernel timed', () => {
  it('stands beside what the samples say, with what asked for it', async () => {
    const text = await told('waits', await recorded(waits(100)));
    expect(text).toContain(
      'Timed one by one by the kernel (take_gil), it waits 20.0 % of the time for the GIL; the samples say 20.0 % (',
    );
    expect(text).toContain(
      '), which agrees. It took the GIL 50 times a second and had to wait 50 times a second, 4.00 ms each (median), 4.00 ms at most. Woken for it, it then waited 5.0 % for a CPU.',
    );
    expect(text).toContain(
      'What had to wait, as the kernel timed it: GIL wait what asked for the GIL 8.0 % time_sleep (python3.12) 8.0 % mujoco/_functions.so 4.0 % the interpreter: another thread wanted it',
    );
  });

  it('is in the JSON', async () => {
    const { threads } = JSON.parse(await told('waits', await recorded(waits(100)), '--json')) as {
      threads: readonly { timed: unknown }[];
    };
    expect(threads[0]?.timed).toEqual({
      probe: 'take_gil',
      whole: true,
      share: 0.2,
      cpuWait: 0.05,
      takenPerS: 50,
      waitsPerS: 50,
      medianS: 0.004,
      longestS: 0.004,
      agrees: true,
      callers: [
        { name: 'time_sleep (python3.12)', share: 0.08 },
        { name: 'mujoco/_functions.so', share: 0.08 },
        {
          name: 'the interpreter: another thread wanted it',
          share: 0.04,
        },
      ],
    });
  });

  it('that the samples contradict is believed, and said where it is not shown', async () => {
    const off = await recorded(waits(150));
    expect(await told('waits', off)).toContain(', which does not agree.');
    expect(await told('threads', off)).toContain(
      'MainThread waits 30.0 % of the time for the GIL, as the kernel timed it (samples:',
    );
    expect(await told('threads', off)).toContain('the samples are off.');
    expect(await told('threads', await recorded(waits(100)))).toContain(': the samples agree.');
  });

  it('without the interpreter itself is the least that was waited', async () => {
    const least = { symbol: 'PyEval_RestoreThread', isWhole: false } as const;
    expect(await told('waits', await recorded(waits(50), least))).toContain(
      '(PyEval_RestoreThread), without the hand-overs of the interpreter itself, it waits 10.0 % of the time for the GIL; the samples say 20.0 %',
    );
    expect(await told('threads', await recorded(waits(50), least))).toContain(
      'MainThread waits at least 10.0 % of the time for the GIL',
    );
    expect(await told('threads', await recorded(waits(150), least))).toContain('the samples are off.');
  });

  it('with holes in it is held against nothing', async () => {
    const holes = await recorded(waits(150), { lost: 77 });
    expect(await told('threads', holes)).toContain('Of how threads took the GIL 77 events were lost');
    const text = await told('waits', holes);
    expect(text).toContain('Of how threads took the GIL 77 events were lost');
    expect(text).toContain('it waits at least 30.0 % of the time for the GIL; the samples say');
    expect(text).not.toContain('agree');
  });

  it('of a program that takes it all the time is not told', async () => {
    const often = await recorded(waits(100), { tooOftenPerS: 41_234.5 });
    expect(await told('waits', often)).not.toContain('Timed one by one');
    expect(await told('threads', often)).toContain(
      'The threads of the process take the GIL 41,235 times a second: the probe that times each was taken off.',
    );
  });

  it('whose file is gone is said, and nothing else is lost', async () => {
    const gone = await recorded(waits(1));
    rmSync(join(gone, 'gil.tsv'));
    const text = await told('waits', gone);
    expect(text).toContain('took the GIL was timed, and cannot be read.');
    expect(text).toContain('waits 20.0 % of the time for the GIL and 4.0 % for a CPU');
  });

  it.each([
    ['a line that is none', 'x\n'],
    ['more time than there was', `${FROM + 1e9}\t${FROM + 1e9}\t11\t9000000000000000\t0\t-1\n`],
    ['an end before its beginning', `${FROM + 2e9}\t${FROM + 1e9}\t11\t0\t0\t-1\n`],
    ['times of one thread at once', waits(100)],
  ])('is not told where its file has %s', async (_, more) => {
    const text = await told('waits', await recorded(waits(100) + more));
    expect(text).not.toContain('Timed one by one');
    expect(text).toMatch(
      /took the GIL was timed, and (1|99|100) lines of it cannot be: nothing of it is told\./,
    );
  });

  it('of a window of no length is not told', async () => {
    const folder = await recorded(waits(100));
    const path = join(folder, 'recording.json');
    const text = readFileSync(path, 'utf8').replace('9007199256740993000', '9007199254740993000');
    writeFileSync(path, text);
    expect(await told('waits', folder)).not.toMatch(/NaN|Timed one by one/);
  });

  it('is read of a probe that we make, and of no other', async () => {
    const folder = await recorded(waits(100));
    const path = join(folder, 'recording.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"take_gil"', '"\\u001b[31mtake"'));
    const { code, err } = await runProfiler(['waits', folder]);
    expect([code, err.includes('gil.symbol'), err.includes('\u001b')]).toEqual([1, true, false]);
  });

  it('is not told of a part of the window', async () => {
    const text = await told('waits', await recorded(waits(100)), '--from', '0.5', '--to', '1.5');
    expect(text).not.toContain('Timed one by one');
  });

  it('takes the names of files and functions for what they are: not its own', async () => {
    const callers = [{ file: '/tmp/a\u001b[31m\n.so', symbol: 'b\u001b]0;x\u0007' }, {}];
    const { out } = await runProfiler(['waits', await recorded(waits(100), { callers })]);
    for (const control of ['\u001b', '\u0007']) expect(out).not.toContain(control);
    expect(out).toContain('code that was made as the program ran');
  });
});
