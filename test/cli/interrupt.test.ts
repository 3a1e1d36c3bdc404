import { describe, expect, it } from 'vitest';
import { interruptible } from '../../src/cli/interrupt.js';
import type { Io } from '../../src/cli/io.js';

/** Runs `work` under signals at these milliseconds; gives what was said, the exit codes and whether listeners are left. */
async function signalledAt(times: readonly number[]): Promise<{
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
    '/r/\u001B[31mx',
    async (signal) => {
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

  it('that comes later leaves at once and says where the slices lie', async () => {
    expect(await signalledAt([100, 1600])).toMatchObject({
      said: `${STOPPING}\nLeft at once; the raw slices lie in /r/\\x1b[31mx/slices.\n`,
      exits: [130],
    });
  });

  it('that never comes leaves no listener behind', async () => {
    expect(await signalledAt([])).toEqual({ said: '', exits: [], aborted: false, listeners: 0 });
  });
});
