import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
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

/** Runs the built executable as a user would, and waits for its end. */
export function runProfiler(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  if (!existsSync(BIN)) throw new Error(`${BIN} is missing: run npm run build first`);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: options.cwd ?? FIXTURES,
      // Whatever terminal the tests are run in.
      env: {
        ...process.env,
        NO_COLOR: '',
        FORCE_COLOR: undefined,
        LC_ALL: 'C.UTF-8',
        TERM: 'xterm',
        ...options.env,
      },
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
