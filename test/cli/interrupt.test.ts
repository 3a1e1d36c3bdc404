import { mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { interruptible } from '../../src/cli/interrupt.js';
import { leftOfRecording } from '../../src/cli/recording-place.js';
import type { Io } from '../../src/cli/io.js';
import { describeWhere } from '../only-where.js';
import { scratch } from '../target/scratch.js';
import { HAS_PTY, NO_PTY, inTerminal } from '../terminal/pty.js';

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

const BUILT = fileURLToPath(new URL('../../dist/cli/', import.meta.url));

describeWhere(HAS_PTY, NO_PTY)('a terminal that is closed', (test) => {
  // Each waits for the signal, then ends: by itself, or with a code of its own.
  for (const [name, work] of [
    [
      'what ends early',
      `const { interruptible } = await import(dist + 'interrupt.js');
       await interruptible(io, ({ signal }) => came(signal));`,
    ],
    [
      'what leaves with a code',
      `const { interruptible } = await import(dist + 'interrupt.js');
       await interruptible(io, ({ signal }) => came(signal));
       process.exit(130);`,
    ],
    [
      'what puts everything back',
      `const { heldSignals, untilSignal } = await import(dist + 'override-signal.js');
       await heldSignals(() => untilSignal(io, came));`,
    ],
    [
      'what passes signals on',
      `const { passSignals } = await import(dist + 'run-signals.js');
       const passed = passSignals();
       await came(passed.signal);
       passed.stop();`,
    ],
  ] as const) {
    test(`ends ${name} by its signal, without a core dump`, async () => {
      const script = `
        const dist = process.argv[1];
        const { processIo } = await import(dist + 'io.js');
        const io = processIo(process);
        const came = (signal) => new Promise((resolve) => {
          const stays = setInterval(() => undefined, 1000);
          signal.addEventListener('abort', () => { clearInterval(stays); resolve(); });
          console.log('WAITING');
        });
        ${work}`;
      const { code } = await inTerminal([process.execPath, '--input-type=module', '-e', script, BUILT], {
        columns: 80,
        cwd: scratch(),
        typed: [['WAITING', undefined]],
      });
      expect(code).toBe(256 - constants.signals.SIGHUP);
    });
  }
});
