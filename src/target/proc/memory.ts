import { errorCode } from '../../model/index.js';
import { closeSync, openSync, readSync } from 'node:fs';
import { PROC } from './file.js';

export type ReadMemory = (address: bigint, length: number) => Buffer | undefined;

/**
 * Calls `use` with a reader of the process's memory, `/proc/PID/mem`: no ptrace stop, but the same access check.
 * `undefined` when the memory may not be opened; the reader answers `undefined` for an address that is not mapped.
 */
export function withMemory<T>(pid: number, proc: string, use: (read: ReadMemory) => T): T | undefined {
  let file: number;
  try {
    file = openSync(`${proc}/${pid}/mem`, 'r');
  } catch {
    return undefined;
  }
  try {
    return use((address, length) => {
      const buffer = Buffer.alloc(length);
      try {
        return readSync(file, buffer, 0, length, address) === length ? buffer : undefined;
      } catch {
        return undefined;
      }
    });
  } finally {
    closeSync(file);
  }
}

/** Error code of opening and reading the process's memory at `address`: `undefined` when it works. */
export function memoryError(pid: number, address: bigint, proc: string = PROC): string | undefined {
  try {
    const file = openSync(`${proc}/${pid}/mem`, 'r');
    try {
      readSync(file, Buffer.alloc(1), 0, 1, address);
    } finally {
      closeSync(file);
    }
    return undefined;
  } catch (error) {
    return errorCode(error) ?? 'unknown';
  }
}
