import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../tools/folder.js';

/** Where what we make is written down until it is gone: `$XDG_STATE_HOME/sim-profiler/journal`, else under `~/.local/state`. */
export function journalFolder(env: Environment): string {
  const state = env['XDG_STATE_HOME'];
  // The XDG specification says to ignore a relative path.
  const base = state?.startsWith('/') === true ? state : join(env['HOME'] ?? homedir(), '.local', 'state');
  return join(base, 'sim-profiler', 'journal');
}
