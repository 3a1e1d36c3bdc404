import { PROC, listIds, readProcLink, readProcText } from '../proc/file.js';
import type { InspectorAddress } from './inspector/connect.js';

/** One row of `/proc/PID/net/tcp` or `tcp6` (proc_pid_net(5)), of the whole network that the process lives in. */
export interface TcpSocket {
  /** `127.0.0.1`, `::1`; every address is `0.0.0.0` or `::`. */
  readonly host: string;
  readonly port: number;
  readonly state: 'listening' | 'connected' | 'other';
  readonly inode: number;
}

const LISTEN = '0A';
const ESTABLISHED = '01';

export function parseTcp(text: string): readonly TcpSocket[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state = '', , , , , , inode = ''] = line.trim().split(/\s+/);
    const [, address = '', port = ''] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/.exec(local) ?? [];
    if (address === '' || !/^\d{1,15}$/.test(inode)) return [];
    return {
      host: hostOf(address),
      port: Number.parseInt(port, 16),
      state: state === LISTEN ? 'listening' : state === ESTABLISHED ? 'connected' : 'other',
      inode: Number(inode),
    };
  });
}

/** Each group of 4 bytes is a number of this machine's order, which is little endian wherever Node and py-spy run. */
function hostOf(hex: string): string {
  const bytes = Array.from({ length: hex.length / 2 }, (_, at) => {
    const place = at - (at % 4) + (3 - (at % 4));
    return Number.parseInt(hex.slice(2 * place, 2 * place + 2), 16);
  });
  if (bytes.length === 4) return bytes.join('.');
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (isMapped) return bytes.slice(12).join('.');
  const last = bytes[15] ?? 0;
  if (bytes.slice(0, 15).every((byte) => byte === 0) && last <= 1) return last === 0 ? '::' : '::1';
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  return groups.join(':');
}

/** Where to call for something that listens there. */
export function reachable({ host, port }: InspectorAddress): InspectorAddress {
  return { host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port };
}

export function readTcp(pid: number, proc: string = PROC): readonly TcpSocket[] {
  return ['tcp', 'tcp6'].flatMap((name) => parseTcp(readProcText(proc, String(pid), 'net', name) ?? ''));
}

/** Inodes of the sockets that a process holds; undefined where we may not look. */
export function socketInodes(pid: number, proc: string = PROC): ReadonlySet<number> | undefined {
  const folder = `${proc}/${pid}/fd`;
  const ids = listIds(folder);
  const links = ids.flatMap((fd) => readProcLink(folder, String(fd)) ?? []);
  // Every Node has open files: none means that they are hidden from us.
  if (links.length === 0) return undefined;
  return new Set(
    links.flatMap((link) => {
      const inode = /^socket:\[(\d{1,15})\]$/.exec(link)?.[1];
      return inode === undefined ? [] : [Number(inode)];
    }),
  );
}
