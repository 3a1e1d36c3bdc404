import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GilCaller, GIL_FILE, gilLine, type RecordedGil } from '../recording/index.js';
import { codeName, type GilTaken } from '../target/index.js';
import type { CaptureRequest } from './request.js';

const TICK_MS = 50;
/** Each time costs the thread 2 µs and more, and more than this cannot be read beside a sampler. */
const MOST_PER_S = 20_000;
const JUDGED_AFTER_S = 0.5;
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
  let taken = 0;
  let tooOftenPerS: number | undefined;
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
  const write = (found: readonly GilTaken[]): void => {
    const lines = found.map(({ caller, ...stamp }) => gilLine({ ...stamp, caller: callerOf(caller) }));
    if (!isWritten) return;
    try {
      appendFileSync(path, lines.join(''), { mode: 0o600 });
    } catch {
      isWritten = false;
    }
  };
  const stop = (): void => {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(timer);
    probe.turn(false);
  };
  const tick = (): void => {
    const found = probe.read(Number(clock()));
    taken += found.length;
    write(found);
    const spanS = Number(clock() - from) / 1e9;
    // Those that were lost, too: each time has three events at least.
    const perS = (taken + probe.lost() / 3) / spanS;
    if (spanS < JUDGED_AFTER_S || perS <= MOST_PER_S) return;
    tooOftenPerS = perS;
    stop();
  };
  const timer = setInterval(tick, TICK_MS);
  timer.unref();
  // There from the start: a recording that says so has the file.
  write([]);
  const from = clock();
  probe.turn(true);
  return {
    close: () => {
      if (!isOpen) return;
      stop();
      write(probe.rest(Number(clock())));
    },
    recorded: () => ({
      symbol: probe.symbol,
      isWhole: probe.isWhole,
      callers,
      file: GIL_FILE,
      ...(probe.lost() === 0 ? {} : { lost: probe.lost() }),
      ...(tooOftenPerS === undefined ? {} : { tooOftenPerS }),
    }),
  };
}
