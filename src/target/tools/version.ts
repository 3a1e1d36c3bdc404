import { execa } from 'execa';

/** What running `py-spy --version` told. */
export type BinaryState =
  | { readonly state: 'works'; readonly version: string }
  | { readonly state: 'missing' }
  | { readonly state: 'broken'; readonly because: string };

const FIRST_LINE_LENGTH = 200;

/** Really runs the binary: a file that is there may be for another machine, not executable, or a dead shim. */
export async function runVersion(path: string): Promise<BinaryState> {
  const run = await execa(path, ['--version'], { reject: false, stdin: 'ignore', timeout: 10_000 });
  if (run.code === 'ENOENT') return { state: 'missing' };
  if (run.code === 'EACCES')
    return { state: 'broken', because: 'it is not executable, or its disk is mounted noexec' };
  if (run.code === 'ENOEXEC' || /exec format error/i.test(run.originalMessage ?? '')) {
    return { state: 'broken', because: 'it is not a program for this machine' };
  }
  if (run.timedOut) return { state: 'broken', because: 'it did not answer --version within 10 s' };
  const version = /^py-spy (\d+\.\d+\.\S+)/m.exec(run.stdout)?.[1];
  if (run.exitCode === 0 && version !== undefined) return { state: 'works', version };
  const said = (run.stderr || run.stdout).split('\n')[0]?.slice(0, FIRST_LINE_LENGTH) ?? '';
  const end =
    run.signal === undefined
      ? `ended with exit code ${run.exitCode ?? 'unknown'}`
      : `was ended by ${run.signal}`;
  return { state: 'broken', because: `py-spy --version ${end}${said === '' ? '' : ` and said: ${said}`}` };
}
