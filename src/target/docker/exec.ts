import { setTimeout as delay } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { demultiplex, type Outputs } from './demultiplex.js';
import { engineFailure } from './engine-error.js';
import type { Engine } from './engine.js';

export interface ExecRequest {
  readonly command: readonly string[];
  /** `UID:GID`, numbers: the image may know no names. Default: the container's own user. */
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** All that the program reads from its standard input, which then ends; without it there is none. */
  readonly input?: Uint8Array;
  /** Its standard input stays open until `endInput`, or until this process ends, however that comes. */
  readonly holdsInput?: true;
  readonly privileged?: boolean;
}

/** A program at work inside a container. Both outputs have to be read. */
export interface ContainerExec extends Outputs {
  readonly id: string;
  /**
   * Its pid on the engine's machine as soon as it is known, which may be a moment before the engine's own program there becomes this one;
   * undefined where it could not be started. Never rejects.
   */
  readonly pid: Promise<number | undefined>;
  /** Ends the input that is held open. */
  readonly endInput: () => void;
  /** When its output has ended. Never rejects. */
  readonly end: Promise<ExecEnd>;
}

export interface ExecEnd {
  /** Exit code, 128 and more for a signal; undefined where the engine does not answer any more. */
  readonly exitCode?: number;
  /** The engine could not start it, and said why on one of the outputs: no such file, no such user, refused capabilities. */
  readonly refused: boolean;
}

/** An engine that could not start the program uses the exit codes of a shell in that case. */
const REFUSALS = new Set([126, 127]);
const POLL_MS = 10;

/**
 * Runs a program inside a running container. Throws `ProfilerError` where the engine refuses the request itself: `no-such-container`,
 * `container-paused`, `container-exited`, `engine-unreachable`, `engine-refused`. A program that cannot be started is no error here:
 * the engine answers as if it had run, and only `end` tells.
 */
export async function startExec(
  engine: Engine,
  container: string,
  request: ExecRequest,
): Promise<ContainerExec> {
  const hasInput = request.input !== undefined || request.holdsInput === true;
  try {
    const exec = await engine.docker.getContainer(container).exec({
      Cmd: [...request.command],
      AttachStdin: hasInput,
      AttachStdout: true,
      AttachStderr: true,
      Tty: false,
      ...(request.user === undefined ? {} : { User: request.user }),
      ...(request.env === undefined
        ? {}
        : { Env: Object.entries(request.env).map(([name, value]) => `${name}=${value}`) }),
      ...(request.privileged === true ? { Privileged: true } : {}),
    });
    // An input needs the connection itself, not an answer of HTTP.
    const stream = await exec.start({ hijack: hasInput, stdin: hasInput });
    if (request.input !== undefined) stream.end(request.input);
    const { stdout, stderr } = demultiplex(stream);
    const ended = whenEnded(stream);
    return {
      id: exec.id,
      stdout,
      stderr,
      pid: pidOf(exec),
      endInput: () => void (hasInput && stream.end()),
      end: ended.then(() => endOf(exec)),
    };
  } catch (error) {
    throw engineFailure('run a program in it', container, error);
  }
}

function whenEnded(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) stream.once(event, () => resolve());
  });
}

async function pidOf(exec: Docker.Exec): Promise<number | undefined> {
  for (;;) {
    const state = await inspect(exec);
    if (state === undefined) return undefined;
    if (state.Pid > 0) return state.Pid;
    if (!state.Running) return undefined;
    await delay(POLL_MS);
  }
}

/** The output ends a moment before the engine knows the exit code. */
async function endOf(exec: Docker.Exec): Promise<ExecEnd> {
  for (;;) {
    const state = await inspect(exec);
    if (state === undefined) return { refused: false };
    const { ExitCode: code } = state;
    if (!state.Running && code !== null)
      return { exitCode: code, refused: state.Pid === 0 && REFUSALS.has(code) };
    await delay(POLL_MS);
  }
}

async function inspect(exec: Docker.Exec): Promise<Docker.ExecInspectInfo | undefined> {
  return exec.inspect().catch(() => undefined);
}

export interface ExecResult extends ExecEnd {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program inside a container to its end. For short answers: both outputs are kept in memory. Throws as `startExec` does. */
export async function runExec(engine: Engine, container: string, request: ExecRequest): Promise<ExecResult> {
  const exec = await startExec(engine, container, request);
  const [stdout, stderr, end] = await Promise.all([text(exec.stdout), text(exec.stderr), exec.end]);
  return { ...end, stdout, stderr };
}

async function text(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
