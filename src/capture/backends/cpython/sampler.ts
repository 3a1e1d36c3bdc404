/**
 * What the process of the sampler does: it reads the target's memory and the kernel's files about its threads; nobody is stopped, and
 * nothing is written but the samples. Commands come on standard input (protocol.ts), whose end is the sampler's end: it cannot outlive
 * its parent.
 */
import { writeSync } from 'node:fs';
import { errorCode } from '../../state-sampler/watched-threads.js';
import { syscallNumbers } from '../../state-sampler/syscalls.js';
import { openReader, type ReaderPlan, ReaderRefusal } from './cpython-reader.js';
import { lowered } from './displacement.js';
import { GcWatch } from './gc-watch.js';
import { findSwitchSource, KernelState, type SwitchSource } from './kernel-state.js';
import type { RefusalReason, SamplerCommand, SamplerFacts, SamplerMessage } from './protocol.js';
import { SampleFile, STANDARD_OUTPUT } from './sample-file.js';
import { SampledThreads } from './sampled-threads.js';
import { type Means, nowNs, readNames, Sampling, warmUp } from './sampling.js';
import { selfTest } from './self-test.js';

type Say = (message: SamplerMessage) => void;

/** In the order of the samples, which go the same way: Node's own stream would make the descriptor one that may refuse. */
function sayAmongSamples(message: SamplerMessage): void {
  const line = Buffer.from(`${JSON.stringify(message)}\n`);
  let from = 0;
  try {
    while (from < line.length) from += writeSync(STANDARD_OUTPUT, line, from);
  } catch {
    // Nobody listens any more.
    process.exit(0);
  }
}

function sayAlone(message: SamplerMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Why there is nothing to do here; ends the process. */
export class Refusal extends Error {
  readonly because: RefusalReason;
  constructor(because: RefusalReason, detail: string) {
    super(detail);
    this.because = because;
  }
}

/** Commands in order, and the end of standard input. */
class Commands {
  readonly #waiting: SamplerCommand[] = [];
  #ended = false;
  #stop = false;
  #wake: (() => void) | undefined;
  readonly #only: boolean;

  /** `only` is the one window of a command line: then nobody is listened to. */
  constructor(only: (SamplerCommand & { readonly kind: 'record' }) | undefined) {
    this.#only = only !== undefined;
    if (only !== undefined) {
      this.#waiting.push(only);
      return;
    }
    let pending = '';
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', (chunk: string) => {
      const lines = (pending + chunk).split('\n');
      pending = lines.pop() ?? '';
      for (const line of lines) if (line !== '') this.#take(JSON.parse(line) as SamplerCommand);
    });
    for (const event of ['end', 'close', 'error'] as const)
      process.stdin.on(event, () => {
        this.#ended = true;
        this.#wake?.();
      });
  }

  get isAsked(): boolean {
    return this.#stop || this.#ended;
  }

  /** The next window to record; undefined at the end. */
  async next(): Promise<(SamplerCommand & { readonly kind: 'record' }) | undefined> {
    for (;;) {
      const command = this.#waiting.shift();
      if (command?.kind === 'record') {
        this.#stop = false;
        return command;
      }
      if (this.#ended || this.#only) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(command: SamplerCommand): void {
    if (command.kind === 'record') this.#waiting.push(command);
    else this.#stop = true;
    this.#wake?.();
  }
}

/** @throws Refusal */
function openTarget(plan: ReaderPlan): Omit<Means, 'isAsked' | 'listen'> & { readonly source: SwitchSource } {
  const proc = plan.proc ?? '/proc';
  const numbers = syscallNumbers(process.arch);
  if (numbers === undefined) throw new Refusal('machine', process.arch);
  const source = findSwitchSource(numbers, proc);
  if (source === undefined) throw new Refusal('kernel', 'no count of switches agrees on ourselves');
  try {
    const reader = openReader(plan);
    const said = selfTest(reader);
    if (said !== undefined) throw new Refusal('layout', said);
    // A thread has a state in each, and which of them it is in nobody tells cheaply.
    if (new Set(reader.threads().map(({ interpreter }) => interpreter)).size > 1)
      throw new Refusal('layout', 'it has several interpreters');
    const threads = new SampledThreads(reader, plan.pid, source, proc);
    threads.refresh();
    if (threads.list.length === 0) throw new Refusal('layout', 'none of its threads is known to the kernel');
    const kernel = new KernelState(source, numbers, proc);
    kernel.gil = reader.gil;
    return { reader, kernel, threads, source };
  } catch (error) {
    throw asRefusal(error);
  }
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof ReaderRefusal) return new Refusal('layout', error.reason);
  const code = errorCode(error);
  if (code === 'EACCES' || code === 'EPERM') return new Refusal('permission', code);
  if (code === 'ENOENT' || code === 'ESRCH') return new Refusal('target-ended', code);
  return new Refusal('layout', error instanceof Error ? error.message : String(error));
}

/** One window, from its command to its whole file. */
async function recordWindow(
  plan: ReaderPlan,
  command: SamplerCommand & { readonly kind: 'record' },
  means: Means,
  gc: GcWatch,
  say: Say,
): Promise<SamplerFacts> {
  const { reader, threads } = means;
  reader.beginFile();
  threads.refresh();
  readNames(means);
  threads.beginFile();
  const startNs = Math.round(nowNs());
  const { version, pid } = plan;
  const file = new SampleFile(command.file ?? STANDARD_OUTPUT, {
    python: version,
    pid,
    rateHz: command.rateHz,
    startNs: String(startNs),
  });
  let closed = false;
  try {
    const sampling = new Sampling(means, file, command, startNs);
    gc.begin();
    const cpu = process.cpuUsage();
    say({ kind: 'sampling', atNs: String(startNs) });
    const because = await sampling.run(startNs);
    say({ kind: 'stopped', because });
    const used = process.cpuUsage(cpu);
    const { because: _, ...written } = sampling.result(because, used.user + used.system, gc);
    file.text(`e ${JSON.stringify(written.facts)}\n`);
    closed = true;
    file.close();
    say({ kind: 'written', ...written });
    return written.facts;
  } finally {
    if (!closed) file.close();
  }
}

async function run(plan: ReaderPlan, [file, rate, seconds]: readonly string[], say: Say): Promise<void> {
  const commands = new Commands(
    file === undefined
      ? undefined
      : {
          kind: 'record',
          ...(file === '-' ? {} : { file }),
          rateHz: Number(rate),
          seconds: Number(seconds),
        },
  );
  const opened = openTarget(plan);
  const means: Means = {
    ...opened,
    isAsked: () => commands.isAsked,
    listen: () =>
      new Promise((resolve) => {
        setImmediate(resolve);
      }),
  };
  const gc = new GcWatch();
  say({ kind: 'ready', switches: opened.source });
  let isWarm = false;
  let limitHz = Infinity;
  let disagreed = false;
  for (let command = await commands.next(); command !== undefined; command = await commands.next()) {
    if (!isWarm) warmUp(means, command.rateHz);
    isWarm = true;
    try {
      const rateHz = Math.min(command.rateHz, limitHz);
      const { agrees } = await recordWindow(plan, { ...command, rateHz }, means, gc, say);
      // Once may be chance, or something else that came and went.
      if (!agrees && disagreed) limitHz = lowered(rateHz);
      disagreed = !agrees && !(disagreed && limitHz < rateHz);
    } catch (error) {
      say({ kind: 'failed', because: errorCode(error) === 'unknown' ? String(error) : errorCode(error) });
    }
  }
}

/**
 * Samples until standard input ends, then ends the process. `findPlan` may throw `Refusal`. `args` are `FILE HZ SECONDS` for one window
 * at once, for a person; `-` is standard output. `among`: windows without a file go to standard output, among the messages, one line
 * each: those begin with `{`, which no line of samples does.
 */
export async function runSampler(
  findPlan: () => ReaderPlan,
  args: readonly string[],
  { among }: { readonly among: boolean },
): Promise<never> {
  const say = among ? sayAmongSamples : sayAlone;
  if (!among) process.stdout.on('error', () => process.exit(0));
  // Ctrl-C in the terminal reaches the whole process group; the parent decides when we end.
  process.on('SIGINT', () => {});
  try {
    await run(findPlan(), args, say);
  } catch (error) {
    const { because, message } = asRefusal(error);
    say({ kind: 'refused', because, detail: message });
  }
  process.exit(0);
}
