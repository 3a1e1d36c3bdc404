import { PROC, readProcText } from './file.js';

/** One line of `/proc/PID/maps`; see proc_pid_maps(5). */
export interface MapRegion {
  readonly start: bigint;
  readonly end: bigint;
  readonly readable: boolean;
  readonly executable: boolean;
  /** Offset in the file. */
  readonly offset: bigint;
  readonly inode: number;
  /** Absolute path as the process sees it; absent for anonymous memory and `[heap]`-like regions. */
  readonly path?: string;
  readonly deleted: boolean;
}

const LINE = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) ([0-9a-f]+) \S+ (\d+)\s*(.*)$/;

export function parseMaps(text: string): MapRegion[] {
  const regions: MapRegion[] = [];
  for (const line of text.split('\n')) {
    const match = LINE.exec(line);
    if (match === null) continue;
    const [, start = '', end = '', flags = '', offset = '', inode = '', name = ''] = match;
    const deleted = name.endsWith(' (deleted)');
    const path = (deleted ? name.slice(0, -' (deleted)'.length) : name).replaceAll('\\012', '\n');
    regions.push({
      start: BigInt(`0x${start}`),
      end: BigInt(`0x${end}`),
      readable: flags.startsWith('r'),
      executable: flags[2] === 'x',
      offset: BigInt(`0x${offset}`),
      inode: Number(inode),
      ...(path.startsWith('/') ? { path } : {}),
      deleted,
    });
  }
  return regions;
}

/** `undefined` when the process is gone or we may not look into it; empty for a kernel thread. */
export function readMaps(pid: number, proc: string = PROC): MapRegion[] | undefined {
  const text = readProcText(proc, String(pid), 'maps');
  return text === undefined ? undefined : parseMaps(text);
}
