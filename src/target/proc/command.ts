import { PROC, readProcLink, readProcText } from './file.js';

/** Arguments of a process, raw; empty for a kernel thread, a zombie and a process that is gone. */
export function readCommand(pid: number, proc: string = PROC): string[] {
  const text = readProcText(proc, String(pid), 'cmdline') ?? '';
  if (text === '') return [];
  const args = (text.endsWith('\0') ? text.slice(0, -1) : text).split('\0');
  // A program that overwrote its title leaves one long argument padded with zeros.
  while (args.length > 1 && args.at(-1) === '') args.pop();
  return args;
}

/** Path of the executable as its process sees it. `deleted`: replaced or removed since it was started. */
export interface ProcExe {
  readonly path: string;
  readonly deleted: boolean;
}

/** `undefined` for a kernel thread and where we may not look into the process. */
export function readExe(pid: number, proc: string = PROC): ProcExe | undefined {
  const link = readProcLink(proc, String(pid), 'exe');
  if (link === undefined) return undefined;
  const deleted = link.endsWith(' (deleted)');
  return { path: deleted ? link.slice(0, -' (deleted)'.length) : link, deleted };
}

/** Last part of a path: `python3.11` of `/usr/bin/python3.11`. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
