import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GilCaller, GIL_FILE, gilLine, type RecordedGil } from '../recording/index.js';
import { codeName, type GilTaken } from '../target/index.js';
import type { CaptureRequest } from './request.js';

const TICK_MS = 50;
/** A program that asks from more places makes them as it runs. */
const MOST_CALLERS = 1000;

/** Writes down how the threads of a target take the GIL. */
export interface GilMeter {
  /** Ends it; the probe is off then. */
  readonly close: () => void;
  /** All that was seen. */
  readonly recorded: () => RecordedGil;
}

/** Turns the probe on and follows it until it is closed. Undefined where there is none. */
export function startGilMeter(
  { gil: probe, target, folder }: Pick<CaptureRequest, 'gil' | 'target' | 'folder'>,
  clock: () => bigint,
): GilMeter | undefined {
  if (probe === undefined) return undefined;
  const path = join(folder, GIL_FILE);
  const numbers = new Map<bigint, number>();
  const callers: GilCaller[] = [];
  let isOpen = true;
  let isWritten = true;

  const callerOf = (address: bigint | undefined): number => {
    if (address === undefined) return -1;
    const known = numbers.get(address);
    if (known !== undefined) return known;
    if (callers.length === MOST_CALLERS) return -1;
    numbers.set(address, callers.length);
    // At once: when the recording ends, the target may have ended.
    callers.push(codeName(target.pid, address) ?? {});
    return callers.length - 1;
  };
  /** On disk before anything is made of them. A disk that takes no more ends this file, and nothing else. */
  const write = (taken: readonly GilTaken[]): void => {
    const lines = taken.map(({ caller, ...stamp }) => gilLine({ ...stamp, caller: callerOf(caller) }));
    if (!isWritten) return;
    try {
      appendFileSync(path, lines.join(''), { mode: 0o600 });
    } catch {
      isWritten = false;
    }
  };
  const timer = setInterval(() => write(probe.read(Number(clock()))), TICK_MS);
  timer.unref();
  // There from the start: a recording that says so has the file.
  write([]);
  probe.turn(true);
  return {
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(timer);
      probe.turn(false);
      write(probe.rest(Number(clock())));
    },
    recorded: () => ({
      symbol: probe.symbol,
      isWhole: probe.isWhole,
      callers,
      file: GIL_FILE,
      ...(probe.lost() === 0 ? {} : { lost: probe.lost() }),
    }),
  };
}
