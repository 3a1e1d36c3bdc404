import type { TextStyle } from '../report/index.js';

/** The process's ends, handed to every command: standard output is for the answer, standard error for talk. */
export interface Io {
  /** Writes to standard output and waits until it was taken. Text as it is: cleaning is the report's. */
  readonly out: (text: string | Uint8Array) => Promise<void>;
  readonly err: (text: string | Uint8Array) => void;
  /** Standard input, in chunks. */
  readonly stdin: () => AsyncIterable<Uint8Array>;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Layout of text on standard output: without colour unless FORCE_COLOR is set, and 80 columns unless COLUMNS says otherwise, where it is no terminal. */
  readonly style: TextStyle;
  /** The same for standard error. */
  readonly errStyle: TextStyle;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Exit code of the process once everything was written; the last one set counts, 0 if none was. */
  readonly setExitCode: (code: number) => void;
}

const NARROWEST = 40;
const WIDEST = 200;
const DEFAULT_WIDTH = 80;

/**
 * Columns to use: what the terminal has, within reason. Pipes and files have what COLUMNS says, a whole number from 40 up, else 80, so
 * that output does not depend on who runs it.
 */
export function widthFor(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: Env = {},
): number {
  if (stream.isTTY !== true) return statedWidth(env['COLUMNS']) ?? DEFAULT_WIDTH;
  if (stream.columns === undefined || stream.columns <= 0) return DEFAULT_WIDTH;
  return Math.min(WIDEST, Math.max(NARROWEST, stream.columns));
}

function statedWidth(columns: string | undefined): number | undefined {
  if (columns === undefined || !/^\d+$/.test(columns)) return undefined;
  const width = Number(columns);
  return Number.isSafeInteger(width) && width >= NARROWEST ? width : undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Whether a variable says anything: empty counts as not there. */
function isSet(env: Env, name: string): boolean {
  return env[name] !== undefined && env[name] !== '';
}

/**
 * Colour only on a terminal that can, and anywhere with FORCE_COLOR (https://force-color.org), but never with NO_COLOR
 * (https://no-color.org): each by any value that is not empty. Where both are set nothing is lost without colour, so NO_COLOR counts.
 */
export function colorFor(stream: { readonly isTTY?: boolean }, env: Env): boolean {
  if (isSet(env, 'NO_COLOR')) return false;
  return isSet(env, 'FORCE_COLOR') || (stream.isTTY === true && env['TERM'] !== 'dumb');
}

/** Terminals whose font has no eighths of a block. */
const WITHOUT_BLOCKS: ReadonlySet<string | undefined> = new Set(['dumb', 'linux']);

/** Whether bars and trees are drawn in ASCII: the terminal has no blocks, or the locale is none of UTF-8. */
export function asciiFor(env: Env): boolean {
  const locale = ['LC_ALL', 'LC_CTYPE', 'LANG'].find((name) => isSet(env, name));
  const isUtf8 = locale !== undefined && /utf-?8/i.test(env[locale] ?? '');
  return !isUtf8 || WITHOUT_BLOCKS.has(env['TERM']);
}

interface Ends {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  readonly exit: (code: number) => never;
  exitCode?: string | number | null | undefined;
}

function styleFor(stream: NodeJS.WriteStream, env: Ends['env']): TextStyle {
  return {
    width: widthFor(stream, env),
    color: colorFor(stream, env),
    ...(asciiFor(env) ? { ascii: true } : {}),
  };
}

/** Io of this process. A reader that closes the pipe has seen enough: that is no error of ours, so it ends with the exit code that is set, success if none is. */
export function processIo(ends: Ends): Io {
  const { stdin, stdout, stderr, env } = ends;
  const fail = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') ends.exit(Number(ends.exitCode ?? 0));
    const full = error.code === 'ENOSPC' || error.code === 'EDQUOT';
    stderr.write(
      `profiler: Standard output cannot be written (${error.code ?? error.message}).\n` +
        `  ${full ? 'The disk that it goes to is full.' : 'What it goes to was closed or refuses it.'}\n` +
        `  -> ${full ? 'df -h' : 'profiler … > FILE'}\n`,
    );
    ends.exit(1);
  };
  stdout.on('error', fail);
  // Nobody to tell that talk cannot be written.
  stderr.on('error', () => undefined);
  return {
    out: (text) =>
      new Promise((resolve) => {
        if (stdout.write(text)) resolve();
        else stdout.once('drain', resolve);
      }),
    err: (text) => void stderr.write(text),
    stdin: () => stdin,
    stdinIsTerminal: stdin.isTTY === true,
    stdoutIsTerminal: stdout.isTTY === true,
    stderrIsTerminal: stderr.isTTY === true,
    style: styleFor(stdout, env),
    errStyle: styleFor(stderr, env),
    env,
    cwd: ends.cwd(),
    setExitCode: (code) => {
      ends.exitCode = code;
    },
  };
}
