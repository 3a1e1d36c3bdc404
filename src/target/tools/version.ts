import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { askProgram } from './ask-program.js';

/** What running `py-spy --version` told. */
export type BinaryState =
  | { readonly state: 'works'; readonly version: string }
  | { readonly state: 'missing' }
  | { readonly state: 'broken'; readonly because: string };

const FIRST_LINE_LENGTH = 200;
const SHELL_FAILURES: ReadonlySet<number> = new Set([2, 126, 127]);

/** Really runs the binary: a file that is there may be for another machine, not executable, or a dead shim. */
export async function runVersion(path: string): Promise<BinaryState> {
  const run = await askProgram(path, ['--version']);
  if (run.code === 'ENOENT') {
    // The kernel gives the same answer for a file whose interpreter or loader does not exist.
    return existsSync(path)
      ? {
          state: 'broken',
          because: 'the program that it needs to run (its interpreter or loader) is missing',
        }
      : { state: 'missing' };
  }
  if (run.code === 'EACCES')
    return { state: 'broken', because: 'it is not executable, or its disk is mounted noexec' };
  if (run.timedOut) return { state: 'broken', because: 'it did not answer --version within 10 s' };
  const version = /^py-spy (\d+\.\d+\.\S+)/m.exec(run.stdout)?.[1];
  if (run.exitCode === 0 && version !== undefined) return { state: 'works', version };
  // Node hands a program that the kernel refuses to the shell, which stumbles over its first bytes.
  if (run.signal === undefined && SHELL_FAILURES.has(run.exitCode ?? 0) && isElf(path)) {
    return { state: 'broken', because: 'it is not a program for this machine' };
  }
  const said = (run.stderr || run.stdout).split('\n')[0]?.slice(0, FIRST_LINE_LENGTH) ?? '';
  const end =
    run.signal === undefined
      ? `ended with exit code ${run.exitCode ?? 'unknown'}`
      : `was ended by ${run.signal}`;
  return { state: 'broken', because: `py-spy --version ${end}${said === '' ? '' : ` and said: ${said}`}` };
}

function isElf(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const magic = Buffer.alloc(4);
    readSync(file, magic, 0, 4, 0);
    return magic.toString('latin1') === '\x7fELF';
  } finally {
    closeSync(file);
  }
}
