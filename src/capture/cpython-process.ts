import { PassThrough } from 'node:stream';
import type { RoutedProcess } from '../target/index.js';
import { parseMessage } from './backends/cpython/backend.js';
import type { SamplerCommand, SamplerMessage } from './backends/cpython/protocol.js';
import type { SamplerChild } from './sampler-child.js';

const START_PATIENCE_MS = 20_000;
const KILLED_MS = 3000;
const TALK_KEPT = 4096;

/** Hears what a sampler says: messages, and lines of samples where those come between them. */
export interface SamplerListener {
  readonly message: (message: SamplerMessage, line: string) => void;
  /** Whole lines with their ends. */
  readonly samples?: (lines: string) => void;
}

const DEAF: SamplerListener = { message: () => {} };

/** The sampler at work, and what it says, line by line. It rests between two windows. */
export class CpythonProcess {
  readonly #child: SamplerChild;
  #listener = DEAF;
  #pending = '';
  ended = false;
  /** The last of its standard error. */
  complaint = '';

  constructor(child: SamplerChild) {
    this.#child = child;
    const { stdout, stderr, stdin } = child;
    // A write after its end is no news: its end is.
    stdin.on('error', () => {});
    stdout.setEncoding('utf8').on('data', (chunk: string) => this.#take(chunk));
    stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.complaint = (this.complaint + chunk).slice(-TALK_KEPT);
    });
    void this.#untilEnd();
  }

  get pid(): Promise<number | undefined> {
    return this.#child.pid;
  }

  get exit(): Promise<number | string> {
    return this.#child.exit;
  }

  hear(listener: SamplerListener = DEAF): void {
    this.#listener = listener;
  }

  tell(command: SamplerCommand): void {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  kill(): void {
    if (!this.ended) this.#child.kill();
  }

  /** Lets it end by itself, and waits for that. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    const impatient = setTimeout(() => this.kill(), KILLED_MS);
    await this.exit;
    clearTimeout(impatient);
  }

  /** What it says first. */
  async first(): Promise<SamplerMessage | undefined> {
    const impatient = setTimeout(() => this.kill(), START_PATIENCE_MS);
    const said = new Promise<SamplerMessage>((resolve) => {
      this.hear({ message: resolve });
    });
    const message = await Promise.race([said, this.exit.then(() => undefined)]);
    clearTimeout(impatient);
    return message;
  }

  async #untilEnd(): Promise<void> {
    await this.exit;
    this.ended = true;
  }

  #take(chunk: string): void {
    const lines = (this.#pending + chunk).split('\n');
    this.#pending = lines.pop() ?? '';
    let samples = '';
    const pass = (): void => {
      if (samples !== '') this.#listener.samples?.(samples);
      samples = '';
    };
    for (const line of lines) {
      const message = line.startsWith('{') ? parseMessage(line) : undefined;
      if (message === undefined) samples += `${line}\n`;
      else {
        pass();
        this.#listener.message(message, line);
      }
    }
    pass();
  }
}

/** What a window that was cut short needs to be told. */
interface WindowOptions {
  /** Samples come through us: they are given to whoever reads standard error, as by the routes of other samplers. */
  readonly among: boolean;
  /** Whether the target has ended: where it took the sampler along, what came before counts. */
  readonly isOver: () => boolean;
}

const ENDED_WITH_TARGET = JSON.stringify({ kind: 'stopped', because: 'target-ended' });

/** One window as a program of its own, as the routes of other samplers start one. `args` are `FILE HZ SECONDS`. */
export function routedWindow(
  sampler: CpythonProcess,
  [file = '', rate, seconds]: readonly string[],
  { among, isOver }: WindowOptions,
): RoutedProcess {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const exit = new Promise<number | string>((resolve) => {
    let over = false;
    let hasSamples = false;
    const end = (how: number | string): void => {
      if (over) return;
      over = true;
      sampler.hear();
      if (how !== 0 && hasSamples && isOver()) stdout.write(`${ENDED_WITH_TARGET}\n`);
      stderr.end(how === 0 || hasSamples ? '' : sampler.complaint);
      stdout.end();
      resolve(how);
    };
    sampler.hear({
      message: (message, line) => {
        if (over) return;
        stdout.write(`${line}\n`);
        if (message.kind === 'written') end(0);
        else if (message.kind === 'failed') end(message.because);
      },
      ...(among
        ? {
            samples: (lines: string) => {
              if (over) return;
              hasSamples = true;
              stderr.write(lines);
            },
          }
        : {}),
    });
    void sampler.exit.then(end);
  });
  sampler.tell({
    kind: 'record',
    ...(among ? {} : { file }),
    rateHz: Number(rate),
    seconds: Number(seconds),
  });
  return {
    stdout,
    stderr,
    pid: sampler.pid,
    exit,
    interrupt: () => sampler.tell({ kind: 'stop' }),
    kill: () => sampler.kill(),
  };
}
