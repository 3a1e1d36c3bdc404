/**
 * The state sampler: a process of its own, so that it can have real-time priority while the rest of us does not. It reads
 * `/proc/PID/task/TID/syscall` at random moments, which stops nobody, counts what it sees and prints running totals.
 * `main.js PID`; commands on standard input (protocol.ts), whose end is the sampler's end: it cannot outlive its parent.
 */
import type { StateCommand, StateMessage } from './protocol.js';
import { syscallNumbers, type SyscallNumbers } from './syscalls.js';
import {
  errorCode,
  look,
  scanThreads,
  totals,
  type WatchedThreads,
  watchedThreads,
} from './watched-threads.js';

/** Between two printed totals. */
const PRINT_NS = 100_000_000n;
/** Between two looks for new threads. */
const RESCAN_NS = 1_000_000_000n;
/** At most this long without listening to standard input. */
const BURST_NS = 50_000_000n;
const WARM_UP_LOOKS = 2000;
const REST: StateCommand = { rateHz: 0, primary: [] };

function say(message: StateMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Standard input as what it last said; `next` resolves when it says something, or ends. */
interface Commands {
  readonly current: () => StateCommand | undefined;
  readonly next: () => Promise<void>;
}

function listen(): Commands {
  let command: StateCommand | undefined = REST;
  let pending = '';
  let wake: (() => void) | undefined;
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk: string) => {
    const lines = (pending + chunk).split('\n');
    pending = lines.pop() ?? '';
    const last = lines.at(-1);
    if (last !== undefined) command = JSON.parse(last) as StateCommand;
    wake?.();
  });
  for (const event of ['end', 'close', 'error'] as const) {
    process.stdin.on(event, () => {
      command = undefined;
      wake?.();
    });
  }
  const next = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  };
  return { current: () => command, next };
}

/** The first looks are slow, until the engine has compiled them; they go to ourselves, before anything is measured. */
function warmUp(numbers: SyscallNumbers): void {
  const own = watchedThreads();
  scanThreads('self', own, []);
  for (let count = 0; count < WARM_UP_LOOKS; count += 1)
    for (const thread of own.primary) look(thread, own, numbers, undefined);
  for (let count = 0; count < WARM_UP_LOOKS; count += 1)
    for (const thread of own.others) look(thread, own, numbers, undefined);
}

/** One stretch of looks. False when the kernel refuses. */
function burst(
  watched: WatchedThreads,
  command: StateCommand,
  numbers: SyscallNumbers,
  timer: Int32Array,
  turn: number,
): number | undefined {
  const gapMs = 1000 / command.rateHz;
  const end = process.hrtime.bigint() + BURST_NS;
  let ticks = turn;
  while (process.hrtime.bigint() < end) {
    // Exponential gaps: no lock-step with a periodic loop.
    Atomics.wait(timer, 0, 0, -Math.log(1 - Math.random()) * gapMs);
    const other = watched.others[ticks % Math.max(1, watched.others.length)];
    ticks += 1;
    for (const thread of watched.primary) if (!look(thread, watched, numbers, command.gil)) return undefined;
    if (other !== undefined && !look(other, watched, numbers, command.gil)) return undefined;
  }
  return ticks;
}

async function run(pid: number, numbers: SyscallNumbers): Promise<void> {
  const commands = listen();
  process.stdout.on('error', () => process.exit(0));
  // Ctrl-C in the terminal reaches the whole process group; the parent decides when we end.
  process.on('SIGINT', () => {});
  warmUp(numbers);
  say({ kind: 'ready' });

  const timer = new Int32Array(new SharedArrayBuffer(4));
  const watched = watchedThreads();
  let printAt = 0n;
  let rescanAt = 0n;
  let obeyed: StateCommand | undefined;
  let ticks: number | undefined = 0;
  for (let command = commands.current(); command !== undefined; command = commands.current()) {
    if (command.rateHz === 0) {
      await commands.next();
      continue;
    }
    const now = process.hrtime.bigint();
    if (now >= rescanAt || command !== obeyed) {
      scanThreads(pid, watched, command.primary);
      rescanAt = now + RESCAN_NS;
      obeyed = command;
    }
    if (now >= printAt) {
      say({ kind: 'tally', atNs: String(now), threads: totals(watched) });
      printAt = now + PRINT_NS;
    }
    ticks = burst(watched, command, numbers, timer, ticks);
    if (ticks === undefined) {
      say({ kind: 'refused', because: 'the kernel does not show the system calls of the target' });
      return;
    }
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

const numbers = syscallNumbers(process.arch);
try {
  if (numbers === undefined)
    say({ kind: 'refused', because: `the system call numbers of ${process.arch} are not known` });
  else await run(Number(process.argv[2]), numbers);
} catch (error) {
  say({ kind: 'refused', because: errorCode(error) });
}
process.exit(0);
