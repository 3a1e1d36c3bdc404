import { withElf } from './elf.js';

/** What a program or a library asks of the dynamic loader. */
export interface Linkage {
  /** Path of the loader; a library has none. */
  readonly interpreter?: string;
  /** Name by which others ask for it. */
  readonly soname?: string;
  /** Names of the libraries that it asks for. */
  readonly needed: readonly string[];
}

const ENTRY_BYTES = 16;
const DT_NEEDED = 1n;
const DT_SONAME = 14n;

/** `undefined` for what is no ELF file that can be read. A static program needs nothing. */
export function readLinkage(path: string): Linkage | undefined {
  return withElf(path, (elf) => {
    const entries = elf.section('.dynamic')?.content();
    const strings = elf.section('.dynstr')?.content();
    const interpreter = elf.section('.interp')?.content();
    const named = (tag: bigint): string[] => {
      const found: string[] = [];
      if (entries === undefined || strings === undefined) return found;
      for (let at = 0; at + ENTRY_BYTES <= entries.length; at += ENTRY_BYTES) {
        if (entries.readBigUInt64LE(at) !== tag) continue;
        const from = Number(entries.readBigUInt64LE(at + 8));
        const end = strings.indexOf(0, from);
        if (from < strings.length && end >= 0) found.push(strings.toString('utf8', from, end));
      }
      return found;
    };
    const soname = named(DT_SONAME)[0];
    return {
      ...(interpreter === undefined
        ? {}
        : { interpreter: interpreter.toString('utf8').replace(/\0.*$/s, '') }),
      ...(soname === undefined ? {} : { soname }),
      needed: named(DT_NEEDED),
    };
  });
}
