import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../model/index.js';
import {
  findGilRange,
  type Realtime,
  type Route,
  type RoutedProcess,
  shownPid,
  type Target,
} from '../target/index.js';
import { parseMessage } from './backends/cpython/backend.js';
import type { SamplerCommand, SamplerMessage } from './backends/cpython/protocol.js';
import { cpythonRefused } from './cpython-refusal.js';
import type { PlannedRoute } from './request.js';

/** Path of the compiled sampler, beside this file. */
export function cpythonSamplerPath(): string {
  return fileURLToPath(new URL('./backends/cpython/main.js', import.meta.url));
}

export interface CpythonContext {
  readonly target: Target;
  readonly realtime: Realtime;
  /** Where the compiled sampler is not beside its source. */
  readonly program?: string;
}

export type CpythonProbe =
  | { readonly works: true; readonly route: Route }
  | { readonly works: false; readonly finding: Finding };

const START_PATIENCE_MS = 20_000;
const KILLED_MS = 3000;
const TALK_KEPT = 4096;

/** `python3.11d`, `libpython3.11d.so.1.0`: every object there has more in front. */
const DEBUG_BUILD = /python3\.\d+t?d(?:m|u)*(?:\.so[.\d]*)?$/;

/** What the sampler is started with, or why it need not be. */
function planOf(target: Target): { readonly plan: object } | { readonly finding: Finding } {
  if (target.elsewhere !== undefined) return { finding: cpythonRefused(target, 'elsewhere') };
  if (target.runtime !== 'python') return { finding: cpythonRefused(target, 'not-python') };
  if (target.freeThreaded === true) return { finding: cpythonRefused(target, 'free-threaded') };
  const range = findGilRange(target);
  if (range === undefined) return { finding: cpythonRefused(target, 'no-runtime') };
  const { start, end, file } = range;
  return {
    plan: {
      pid: target.pid,
      runtime: Number(start),
      runtimeSize: Number(end - start),
      version: target.runtimeVersion ?? '',
      ...(DEBUG_BUILD.test(file) ? { debug: true } : {}),
    },
  };
}

function argvOf({ realtime, program }: CpythonContext, plan: object): readonly string[] {
  const priority = realtime.allowed ? realtime.argv : [];
  return [...priority, process.execPath, program ?? cpythonSamplerPath(), JSON.stringify(plan)];
}

/** The sampler at work, and what it says, line by line. It rests between two windows. */
class CpythonProcess {
  readonly #child: ChildProcess;
  readonly exit: Promise<number | string>;
  #listener: (message: SamplerMessage, line: string) => void = () => {};
  #pending = '';
  ended = false;
  /** The last of its standard error. */
  complaint = '';

  constructor([file = '', ...args]: readonly string[]) {
    // Not execa: its standard input stays open for commands, and its end is the sampler's end.
    this.#child = spawn(file, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      // Options meant for the user's own programs, such as a debugger's port.
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    const { stdout, stderr, stdin } = this.#child;
    // A write after its end is no news: its end is.
    stdin?.on('error', () => {});
    stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (this.#pending + chunk).split('\n');
      this.#pending = lines.pop() ?? '';
      for (const line of lines) {
        const message = parseMessage(line);
        if (message !== undefined) this.#listener(message, line);
      }
    });
    stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.complaint = (this.complaint + chunk).slice(-TALK_KEPT);
    });
    this.exit = new Promise((resolve) => {
      let error: string | undefined;
      this.#child.on('error', (cause: NodeJS.ErrnoException) => {
        error ??= cause.code ?? 'unknown';
        // What cannot be started closes nothing.
        if (this.#child.pid === undefined) {
          this.ended = true;
          resolve(error);
        }
      });
      this.#child.on('close', (code, signal) => {
        this.ended = true;
        resolve(error ?? signal ?? code ?? 'unknown');
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  hear(listener: (message: SamplerMessage, line: string) => void): void {
    this.#listener = listener;
  }

  tell(command: SamplerCommand): void {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  kill(): void {
    if (!this.ended) this.#child.kill('SIGKILL');
  }

  /** Lets it end by itself, and waits for that. */
  async end(): Promise<void> {
    this.#child.stdin?.end();
    const impatient = setTimeout(() => this.kill(), KILLED_MS);
    await this.exit;
    clearTimeout(impatient);
  }

  /** What it says first. */
  async first(): Promise<SamplerMessage | undefined> {
    const impatient = setTimeout(() => this.kill(), START_PATIENCE_MS);
    const said = new Promise<SamplerMessage>((resolve) => {
      this.hear(resolve);
    });
    const message = await Promise.race([said, this.exit.then(() => undefined)]);
    clearTimeout(impatient);
    return message;
  }
}

/** One window as a program of its own, as the routes of other samplers start one. */
function routedWindow(sampler: CpythonProcess, [file = '', rate, seconds]: readonly string[]): RoutedProcess {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const exit = new Promise<number | string>((resolve) => {
    let over = false;
    const end = (how: number | string): void => {
      if (over) return;
      over = true;
      sampler.hear(() => {});
      stderr.end(how === 0 ? '' : sampler.complaint);
      stdout.end();
      resolve(how);
    };
    sampler.hear((message, line) => {
      if (over) return;
      stdout.write(`${line}\n`);
      if (message.kind === 'written') end(0);
      else if (message.kind === 'failed') end(message.because);
    });
    void sampler.exit.then(end);
  });
  sampler.tell({ kind: 'record', file, rateHz: Number(rate), seconds: Number(seconds) });
  return {
    stdout,
    stderr,
    pid: Promise.resolve(sampler.pid),
    exit,
    interrupt: () => sampler.tell({ kind: 'stop' }),
    kill: () => sampler.kill(),
  };
}

/** The way of our own sampler: from this machine, into whatever the process lives in. */
function routeId({ nsPid }: Target): Route['id'] {
  return nsPid === undefined ? 'direct' : 'host';
}

/** As it would be done, untried; or what can be seen to stand in its way. */
export function plannedCpython(context: CpythonContext): PlannedRoute | Finding {
  const planned = planOf(context.target);
  if ('finding' in planned) return planned.finding;
  const argv = argvOf(context, planned.plan);
  return {
    id: routeId(context.target),
    targetPid: context.target.pid,
    output: 'file',
    commands: (args) => [[...argv, ...args]],
  };
}

/** Starts the sampler and has it test itself on the target. */
export async function probeCpython(context: CpythonContext): Promise<CpythonProbe> {
  const { target } = context;
  const planned = planOf(target);
  if ('finding' in planned) return { works: false, finding: planned.finding };
  const argv = argvOf(context, planned.plan);
  let sampler = new CpythonProcess(argv);
  const said = await sampler.first();
  if (said?.kind !== 'ready') {
    const how = await sampler.exit;
    const detail = sampler.complaint.trim() === '' ? String(how) : sampler.complaint.trim().slice(-200);
    const finding =
      said?.kind === 'refused'
        ? cpythonRefused(target, said.because, said.detail)
        : cpythonRefused(target, 'start', detail);
    return { works: false, finding };
  }
  const route: Route = {
    id: routeId(target),
    targetPid: target.pid,
    output: 'file',
    findings: said.switches === 'status' ? [lessExact(target)] : [],
    commands: (args) => [[...argv, ...args]],
    start: (args) => {
      // One that failed has ended; the next window gets another.
      if (sampler.ended) sampler = new CpythonProcess(argv);
      return routedWindow(sampler, args);
    },
    undo: async () => {
      await sampler.end();
      return [];
    },
  };
  return { works: true, route };
}

function lessExact(target: Target): Finding {
  return {
    level: 'note',
    id: 'switch-times-unknown',
    what: `The kernel does not show when threads of process ${shownPid(target)} left their CPU (no /proc/PID/sched).`,
    why: 'Whether a thread waits for a CPU or was displaced by the sampler itself is told by the CPU that it was on last: the waiting may be off by a few points.',
  };
}
