import { closeSync, openSync, readSync } from 'node:fs';

/** Bytes that were read, with a view of 32 bit words: a pointer is two of them, which costs no BigInt. */
export interface Block {
  readonly bytes: Buffer;
  readonly words: Uint32Array;
}

/** A block of at least that many bytes. */
export function block(size: number): Block {
  const memory = new ArrayBuffer((size + 7) & ~7);
  return { bytes: Buffer.from(memory), words: new Uint32Array(memory) };
}

/** Of aarch64; that of x86-64 is half of it. */
const END_OF_USER_SPACE = 0x1_0000_0000_0000;
const HIGH = 0x1_0000_0000;

/** The pointer at a byte offset that is a multiple of 8; addresses of user space stay below 2^53. */
export function pointerAt(words: Uint32Array, offset: number): number {
  const at = offset >> 2;
  return words[at]! + words[at + 1]! * HIGH;
}

/** Memory of one process. */
export interface Memory {
  /**
   * Reads up to `length` bytes into `into` at `offset` and says how many there were: fewer where a mapping ends, none where no
   * address of a program can be. Throws an error with a `code`: `EIO` for an address that is not mapped, `ESRCH` when the process
   * has ended or runs another program.
   */
  read(into: Block, offset: number, length: number, address: number): number;
  close(): void;
}

/** Opens `/proc/PID/mem`, which stays with the program that runs now: after an exec it reads as ended. Throws as `openSync` does. */
export function openMemory(pid: number, proc: string): Memory {
  const file = openSync(`${proc}/${pid}/mem`, 'r');
  return {
    read(into, offset, length, address) {
      if (!(address < END_OF_USER_SPACE)) return 0;
      const count = readSync(file, into.bytes, offset, length, address);
      if (count === 0) throw Object.assign(new Error('ESRCH: the process has ended'), { code: 'ESRCH' });
      return count;
    },
    close: () => closeSync(file),
  };
}
