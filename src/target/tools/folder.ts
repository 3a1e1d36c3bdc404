import { homedir } from 'node:os';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where `tools install` puts binaries: `$XDG_DATA_HOME/sim-profiler/tools`, else under `~/.local/share`. */
export function toolsFolder(env: Environment): string {
  const data = env['XDG_DATA_HOME'];
  // The XDG specification says to ignore a relative path.
  const base = data?.startsWith('/') === true ? data : join(env['HOME'] ?? homedir(), '.local', 'share');
  return join(base, 'sim-profiler', 'tools');
}
