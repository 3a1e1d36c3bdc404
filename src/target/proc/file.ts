import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** Folder of the kernel's process files; another root than `/proc` holds a recorded tree. */
export const PROC = '/proc';

/** Whole content of a process file; `undefined` when the process is gone or the file is not ours to read. */
export function readProcText(...path: string[]): string | undefined {
  try {
    return readFileSync(path.join('/'), 'utf8');
  } catch {
    return undefined;
  }
}

/** Target of a link such as `exe`, as the kernel prints it. */
export function readProcLink(...path: string[]): string | undefined {
  try {
    return readlinkSync(path.join('/'));
  } catch {
    return undefined;
  }
}

/** Entries whose name is a number, in ascending order: processes of `/proc`, threads of `task`. */
export function listIds(...path: string[]): number[] {
  try {
    return readdirSync(path.join('/'))
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}
