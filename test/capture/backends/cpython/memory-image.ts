import type { Block, Memory } from '../../../../src/capture/backends/cpython/memory.js';

/** Memory of a process that does not exist: what was put into it can be read, everything else is not mapped. */
export interface MemoryImage extends Memory {
  /** Puts a structure of `size` bytes at an address: numbers of 64 bits by offset, or bytes. */
  put(address: number, size: number, fields: Readonly<Record<number, number | Buffer>>): void;
  /** Changes a number. */
  set(address: number, value: number): void;
  /** Changes a byte. */
  poke(address: number, value: number): void;
  /** From here on nothing is mapped at that address. */
  unmap(address: number): void;
  ended: boolean;
}

interface Region {
  readonly address: number;
  readonly bytes: Buffer;
}

export function memoryImage(): MemoryImage {
  let regions: Region[] = [];
  const regionOf = (address: number): Region | undefined =>
    regions.find((region) => address >= region.address && address < region.address + region.bytes.length);
  return {
    ended: false,
    put(address, size, fields) {
      const bytes = Buffer.alloc(size);
      for (const [offset, value] of Object.entries(fields)) {
        if (typeof value === 'number') bytes.writeBigInt64LE(BigInt(value), Number(offset));
        else value.copy(bytes, Number(offset));
      }
      regions.push({ address, bytes });
    },
    set(address, value) {
      const region = regionOf(address);
      region?.bytes.writeBigInt64LE(BigInt(value), address - region.address);
    },
    poke(address, value) {
      const region = regionOf(address);
      region?.bytes.writeUInt8(value, address - region.address);
    },
    unmap(address) {
      regions = regions.filter((region) => region !== regionOf(address));
    },
    read(into: Block, offset: number, length: number, address: number) {
      if (this.ended) throw Object.assign(new Error('ESRCH: ended'), { code: 'ESRCH' });
      const region = regionOf(address);
      if (region === undefined) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
      const start = address - region.address;
      return region.bytes.copy(into.bytes, offset, start, start + length);
    },
    close() {},
  };
}
