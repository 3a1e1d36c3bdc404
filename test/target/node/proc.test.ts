import { describe, expect, it } from 'vitest';
import { parseTcp, reachable } from '../../../src/target/node/listening.js';
import { inspectorOptions, nodeOptionWords } from '../../../src/target/node/node-options.js';
import { holdsSignal } from '../../../src/target/node/own-handler.js';
import { signalFate } from '../../../src/target/node/signals.js';

const TREE = 0x1000n;

const status = (blocked: string, ignored: string, caught: string): string =>
  `Name:\tnode\nSigBlk:\t${blocked}\nSigIgn:\t${ignored}\nSigCgt:\t${caught}\n`;

const row = (local: string, state: string, inode: string): string =>
  `   1: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 00000000e0cf0e84 100 0 0 10 0`;

const pointer = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

/** Handles at round addresses: number of the signal, left, right. */
function memory(handles: Readonly<Record<number, readonly [number, number, number]>>, first: number) {
  const known = new Map<bigint, Buffer>();
  known.set(TREE, pointer(first));
  for (const [at, [signal, left, right]] of Object.entries(handles)) {
    const number = Buffer.alloc(4);
    number.writeInt32LE(signal);
    known.set(BigInt(at) + 104n, number);
    known.set(BigInt(at) + 112n, pointer(left));
    known.set(BigInt(at) + 120n, pointer(right));
  }
  return (address: bigint): Buffer | undefined => known.get(address);
}

describe('what a process does about SIGUSR1', () => {
  it.each([
    ['0000000000000000', '0000000001001000', '0000000100004602', 'caught'],
    ['0000000000000200', '0000000001001000', '0000000100004602', 'blocked'],
    ['0000000000000000', '0000000000000200', '0000000100004402', 'ignored'],
    ['0000000000000000', '0000000001001000', '0000000100004402', 'kills'],
  ])('blocked %s, ignored %s, caught %s: %s', (blocked, ignored, caught, fate) => {
    expect(signalFate(status(blocked, ignored, caught))).toBe(fate);
  });

  it('is unknown where the kernel does not tell', () => {
    expect(signalFate('')).toBeUndefined();
    // A process named like a field forges none: the kernel escapes its line breaks.
    expect(signalFate('Name:\tSigCgt: 200\n')).toBeUndefined();
  });
});

describe('sockets of /proc/PID/net', () => {
  it('are read by address, port and inode', () => {
    const text = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      row('0100007F:240D', '0A', '3064124'),
      row('00000000:1F90', '01', '7'),
      row('00000000000000000000000001000000:240E', '0A', '8'),
      row('00000000000000000000000000000000:240F', '06', '9'),
      row('0000000000000000FFFF00000100007F:0050', '0A', '10'),
      row('B80D01200000000067452301EFCDAB89:0050', '0A', '11'),
      'nonsense',
      row('0100007F:240D', '0A', 'x'),
    ].join('\n');
    expect(parseTcp(text)).toEqual([
      { host: '127.0.0.1', port: 9229, state: 'listening', inode: 3_064_124 },
      { host: '0.0.0.0', port: 8080, state: 'connected', inode: 7 },
      { host: '::1', port: 9230, state: 'listening', inode: 8 },
      { host: '::', port: 9231, state: 'other', inode: 9 },
      { host: '127.0.0.1', port: 80, state: 'listening', inode: 10 },
      { host: '2001:db8:0:0:123:4567:89ab:cdef', port: 80, state: 'listening', inode: 11 },
    ]);
    expect(parseTcp('')).toEqual([]);
  });

  it('of every address are called at the loopback', () => {
    expect(reachable({ host: '0.0.0.0', port: 1 })).toEqual({ host: '127.0.0.1', port: 1 });
    expect(reachable({ host: '::', port: 1 })).toEqual({ host: '::1', port: 1 });
    expect(reachable({ host: '10.0.0.2', port: 1 })).toEqual({ host: '10.0.0.2', port: 1 });
  });
});

describe('options of the inspector', () => {
  it.each([
    [['node', 'app.js'], undefined, false, 9229],
    [['node', '--inspect', 'app.js'], undefined, true, 9229],
    [['node', '--inspect=0', 'app.js'], undefined, true, 0],
    [['node', '--inspect=0.0.0.0:9300', 'app.js'], undefined, true, 9300],
    [['node', '--inspect=[::1]:9301', 'app.js'], undefined, true, 9301],
    [['node', '--inspect-brk=9302', 'app.js'], undefined, true, 9302],
    [['node', '--inspect-port', '9303', 'app.js'], undefined, false, 9303],
    [['node', '--debug_port=9304', 'app.js'], undefined, false, 9304],
    [['node', '-r', './x.js', '--inspect', 'app.js'], undefined, true, 9229],
    // What follows the script is the program's own.
    [['node', 'app.js', '--inspect=1'], undefined, false, 9229],
    [['node', '-e', '1', '--inspect=1'], undefined, false, 9229],
    [['node', 'app.js'], '--inspect-port=9305 --max-http-header-size=1', false, 9305],
    [['node', '--inspect-port=9306', 'app.js'], '--inspect=9305', true, 9306],
    [[], undefined, false, 9229],
  ] as const)('%j with NODE_OPTIONS %j', (command, nodeOptions, opened, port) => {
    expect(inspectorOptions(command, nodeOptions)).toEqual({ opened, port, signalDisabled: false });
  });

  it('may keep SIGUSR1 from it', () => {
    expect(inspectorOptions(['node', '--disable-sigusr1', 'a.js'], undefined).signalDisabled).toBe(true);
    expect(inspectorOptions(['node', 'a.js'], '--disable-sigusr1').signalDisabled).toBe(true);
  });

  it('in NODE_OPTIONS are divided by blanks outside of quotes', () => {
    expect(nodeOptionWords('--a  "--require ./my \\"x\\".js" --b=1')).toEqual([
      '--a',
      '--require ./my "x".js',
      '--b=1',
    ]);
    expect(nodeOptionWords('" '.repeat(100_000))).toHaveLength(50_000);
    expect(nodeOptionWords('""')).toEqual(['']);
  });
});

describe('handles of libuv', () => {
  it.each([
    ['none', {}, 0, false],
    ['others', { 4096: [2, 8192, 0], 8192: [15, 0, 0] }, 4096, false],
    ['it, to the right', { 4096: [2, 0, 8192], 8192: [10, 0, 0] }, 4096, true],
    ['a tree that cannot be read', { 4096: [2, 12_288, 0] }, 4096, undefined],
    ['no tree of handles', { 4096: [77_777, 0, 0] }, 4096, undefined],
    ['a circle', { 4096: [2, 4096, 4096] }, 4096, undefined],
  ] as const)('hold %s', (_what, handles, first, expected) => {
    expect(holdsSignal(memory(handles, first), TREE, 10)).toBe(expected);
  });
});
