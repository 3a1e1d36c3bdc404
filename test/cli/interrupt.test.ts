import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { interruptible, leftOfRecording } from '../../src/cli/interrupt.js';
import type { Io } from '../../src/cli/io.js';
import { scratch } from '../target/scratch.js';

/** Runs `work` under signals at these milliseconds; gives what was said, the exit codes and whether listeners are left. */
async function signalledAt(
  times: readonly number[],
  folder = '/nowhere',
): Promise<{
  readonly said: string;
  readonly exits: readonly number[];
  readonly aborted: boolean;
  readonly listeners: number;
}> {
  let said = '';
  let now = 0;
  const exits: number[] = [];
  const listeners = new Map<string, () => void>();
  const io = { err: (text: string) => void (said += text) } as unknown as Io;
  const aborted = await interruptible(
    io,
    async ({ signal, phase }) => {
      phase('Stopping; what was recorded is kept.', () => leftOfRecording(folder));
      for (const time of times) {
        now = time;
        listeners.get('SIGINT')?.();
      }
      return signal.aborted;
    },
    {
      on: (signal, listener) => listeners.set(signal, listener),
      off: (signal) => listeners.delete(signal),
      exit: (code) => exits.push(code),
      now: () => now,
    },
  );
  return { said, exits, aborted, listeners: listeners.size };
}

const STOPPING = '\nStopping; what was recorded is kept.\n';

describe('a signal', () => {
  it('ends the work early', async () => {
    expect(await signalledAt([100])).toEqual({ said: STOPPING, exits: [], aborted: true, listeners: 3 });
  });

  it('that follows at once is the same wish', async () => {
    expect(await signalledAt([100, 150, 180, 1599])).toMatchObject({ said: STOPPING, exits: [] });
  });

  it('that comes later leaves at once and claims no slice that is not there', async () => {
    const folder = join(scratch(), '\u001B[31mx');
    mkdirSync(join(folder, 'slices'), { recursive: true });
    writeFileSync(join(folder, 'slices/000.raw'), '');
    expect((await signalledAt([100, 1600], folder)).said).toBe(
      `${STOPPING}\nLeft at once; nothing was recorded yet.\n`,
    );
    writeFileSync(join(folder, 'slices/000.raw'), 'a 1\n');
    const shown = folder.replace('\u001B', String.raw`\x1b`);
    expect(await signalledAt([100, 1600], folder)).toMatchObject({
      said: `${STOPPING}\nLeft at once; 1 raw slice lies in ${shown}/slices.\n`,
      exits: [130],
    });
  });

  it('that never comes leaves no listener behind', async () => {
    expect(await signalledAt([])).toEqual({ said: '', exits: [], aborted: false, listeners: 0 });
  });
});
