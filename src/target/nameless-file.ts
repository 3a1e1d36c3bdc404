import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An open file without a name, for a program that reads or writes files alone. */
export interface NamelessFile {
  readonly fd: number;
  /** By which a child of ours can open it. */
  readonly path: string;
  readonly close: () => void;
}

/** It is gone with us, however we end. */
export function namelessFile(): NamelessFile {
  const name = join(tmpdir(), `sim-profiler-${randomUUID()}`);
  const fd = openSync(name, 'wx+', 0o600);
  rmSync(name);
  return { fd, path: `/proc/${process.pid}/fd/${fd}`, close: () => closeSync(fd) };
}
