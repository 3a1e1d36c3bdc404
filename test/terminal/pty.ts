import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const IN_PTY = fileURLToPath(new URL('in_pty.py', import.meta.url));

export const HAS_PTY = spawnSync('python3', ['-c', 'import pty, termios']).status === 0;
export const NO_PTY = 'no python3 to make a pseudo-terminal with';

/** A terminal of a given size, and what is typed into it: each text is waited for, then the keys are pressed, or the terminal closed where there are none. */
export interface Terminal {
  readonly columns: number;
  readonly rows?: number;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly typed?: readonly (readonly [waitFor: string, keys: string | undefined])[];
}

export interface Printed {
  /** Of a command that a signal ended, 256 less the signal. */
  readonly code: number | null;
  /** All bytes that reached the terminal, as text. */
  readonly bytes: string;
}

/** Variables of whoever runs the tests that say how to print. */
const UNTOLD = [
  'NO_COLOR',
  'FORCE_COLOR',
  'CI',
  'COLUMNS',
  'LINES',
  'LC_ALL',
  'LC_CTYPE',
  'LC_MESSAGES',
  'LANGUAGE',
];

/** Runs a command in a real pseudo-terminal, as xterm with a UTF-8 locale unless told otherwise. */
export function inTerminal(argv: readonly string[], terminal: Terminal): Promise<Printed> {
  const { columns, rows = 200, cwd, typed = [] } = terminal;
  const env: Record<string, string | undefined> = { ...process.env, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  for (const name of UNTOLD) delete env[name];
  return new Promise((resolve, reject) => {
    const child = spawn('python3', [IN_PTY, `${columns}`, `${rows}`, JSON.stringify(typed), ...argv], {
      cwd,
      env: { ...env, ...terminal.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let bytes = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (bytes += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, bytes }));
  });
}
