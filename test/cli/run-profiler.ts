import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The built executable; PROFILER_BIN tests another one, such as an installed package. */
export const BIN =
  process.env['PROFILER_BIN'] ?? fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url));
export const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));

export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Closes the reading end of standard output before the program writes. */
  readonly closeOut?: true;
}

/** Commands that read files and print: nothing of them depends on a process of their own, and starting one takes longer than all they do. */
const ANSWERS: ReadonlySet<string> = new Set([
  'buckets',
  'export',
  'hot',
  'rules',
  'tables',
  'threads',
  'waits',
]);

/** Runs the built program as a user would, and waits for its end. */
export function runProfiler(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  if (!existsSync(BIN)) throw new Error(`${BIN} is missing: run npm run build first`);
  const isAnswer = ANSWERS.has(args[0] ?? '') && options.closeOut !== true;
  return isAnswer && process.env['PROFILER_BIN'] === undefined
    ? runHere(args, options)
    : runBin(args, options);
}

/** As the executable does it, with ends of its own. */
async function runHere(args: readonly string[], options: RunOptions): Promise<Run> {
  const { main } = (await import('../../dist/cli/main.js')) as typeof import('../../src/cli/main.js');
  const [out, err] = [new Kept(), new Kept()];
  const ends = {
    stdin: Readable.from(options.input === undefined ? [] : [Buffer.from(options.input)]),
    stdout: out,
    stderr: err,
    env: envOf(options),
    cwd: () => options.cwd ?? FIXTURES,
    exit: (code: number): never => {
      throw new Error(`ended with ${code}`);
    },
    exitCode: undefined,
  };
  await main(args, ends as unknown as Parameters<typeof main>[1]);
  return { code: Number(ends.exitCode ?? 0), out: out.text(), err: err.text() };
}

/** Keeps what is written. */
class Kept extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/** Whatever terminal the tests are run in. */
function envOf({ env }: RunOptions): Readonly<Record<string, string | undefined>> {
  return {
    ...process.env,
    NO_COLOR: '',
    FORCE_COLOR: undefined,
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm',
    ...env,
  };
}

/** Runs the built executable, a process of its own. */
export function runBin(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: options.cwd ?? FIXTURES,
      env: envOf(options),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    if (options.closeOut === true) child.stdout.destroy();
    else child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

/** The object that `--json` printed. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into it by hand
export async function runJson(args: readonly string[], options: RunOptions = {}): Promise<any> {
  const { out, err } = await runProfiler([...args, '--json'], options);
  if (out === '') throw new Error(`no output: ${err}`);
  return JSON.parse(out);
}
