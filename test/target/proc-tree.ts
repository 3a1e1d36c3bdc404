import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scratch } from './scratch.js';

/** One process of a made-up process file system. */
export interface FakeProcess {
  readonly pid: number;
  readonly ppid: number;
  readonly args: readonly string[];
  readonly comm?: string;
  readonly state?: string;
  readonly flags?: number;
  readonly cpuTicks?: number;
  readonly startTicks?: number;
  readonly threads?: number;
  readonly exe?: string;
  /** Paths of mapped files; `undefined`: may not be read. */
  readonly mapped?: readonly string[];
  readonly cgroup?: string;
  readonly mountinfo?: string;
  readonly status?: string;
}

/** Writes a process file system into a new folder and gives its path. */
export function procTree(
  processes: readonly FakeProcess[],
  files: Readonly<Record<string, string>> = {},
): string {
  const root = scratch();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('uptime', '1000.00 1900.00\n');
  for (const process of processes) {
    const { pid } = process;
    write(`${pid}/stat`, statLine(process));
    write(`${pid}/cmdline`, process.args.map((arg) => `${arg}\0`).join(''));
    write(`${pid}/status`, process.status ?? statusText(pid));
    if (process.exe !== undefined) symlinkSync(process.exe, join(root, String(pid), 'exe'));
    if (process.mapped !== undefined) write(`${pid}/maps`, process.mapped.map(mapsLine).join(''));
    if (process.cgroup !== undefined) write(`${pid}/cgroup`, process.cgroup);
    if (process.mountinfo !== undefined) write(`${pid}/mountinfo`, process.mountinfo);
  }
  for (const [path, text] of Object.entries(files)) write(path, text);
  return root;
}

function statLine(process: FakeProcess): string {
  const { pid, ppid, comm = 'program', state = 'S', flags = 0x400000 } = process;
  const { cpuTicks = 0, threads = 1, startTicks = 5000 } = process;
  const before = [
    state,
    ppid,
    pid,
    pid,
    0,
    -1,
    flags,
    0,
    0,
    0,
    0,
    cpuTicks,
    0,
    0,
    0,
    20,
    0,
    threads,
    0,
    startTicks,
  ];
  const after = Array.from({ length: 17 }, () => 0);
  return `${pid} (${comm}) ${[...before, ...after, 0, 0, 0, 0, 0].join(' ')}\n`;
}

export function statusText(pid: number, more: Readonly<Record<string, string>> = {}): string {
  const fields = {
    Name: 'program',
    Uid: '1000\t1000\t1000\t1000',
    Gid: '1000\t1000\t1000\t1000',
    NSpid: String(pid),
    Threads: '1',
    CapPrm: '0000000000000000',
    CapEff: '0000000000000000',
    Seccomp: '0',
    voluntary_ctxt_switches: '12',
    nonvoluntary_ctxt_switches: '3',
    ...more,
  };
  return Object.entries(fields)
    .map(([key, value]) => `${key}:\t${value}\n`)
    .join('');
}

function mapsLine(path: string, index: number): string {
  const start = 0x7f00_0000_0000 + index * 0x10_0000;
  return `${start.toString(16)}-${(start + 0x1000).toString(16)} r-xp 00000000 08:01 ${1000 + index} ${path}\n`;
}
