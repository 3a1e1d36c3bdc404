import { basename } from 'node:path';
import { PROC } from '../proc/file.js';
import { type MapRegion, readMaps } from '../proc/maps.js';
import { type MappedFile, mappedFiles, withMappedElf } from '../elf/mapped-file.js';

/** Functions to probe, and part of the name of the file that holds them; any file where none is named. */
export interface WantedFunctions {
  readonly file?: string;
  readonly symbols: readonly string[];
  /** With the copies that a compiler made of them. */
  readonly copies?: boolean;
}

/** A function of the target, as a probe needs it. */
export interface ProbedFunction {
  readonly symbol: string;
  /** File that holds it, as the target sees it. */
  readonly path: string;
  /** The same file as the kernel has it mapped, whatever lies at its path by now: `/proc/PID/map_files/START-END`. */
  readonly mapped: string;
  /** Bytes from the start of the file. */
  readonly offset: bigint;
}

/** Its place as `uprobe_events` takes it. */
export function placeText({ mapped, offset }: ProbedFunction): string {
  return `${mapped}:0x${offset.toString(16)}`;
}

/** Those of the first wish that the process has loaded, each once; of the second where it has none of the first, and so on. */
export function findFunctions(
  pid: number,
  wanted: readonly WantedFunctions[],
  proc: string = PROC,
): readonly ProbedFunction[] {
  const files = mappedFiles(pid, readMaps(pid, proc) ?? [], () => true);
  for (const { file: name, symbols, copies = false } of wanted) {
    const found: ProbedFunction[] = [];
    for (const file of files) {
      if (name !== undefined && !basename(file.path).includes(name)) continue;
      const missing = symbols.filter((symbol) => found.every((one) => one.symbol !== symbol));
      if (missing.length > 0) found.push(...inFile(file, { symbols: missing, copies }, proc));
    }
    if (found.length > 0) return found;
  }
  return [];
}

function inFile(
  file: MappedFile,
  { symbols, copies }: Required<Omit<WantedFunctions, 'file'>>,
  proc: string,
): readonly ProbedFunction[] {
  const code = file.regions.find(({ executable }) => executable);
  if (code === undefined) return [];
  return (
    withMappedElf(file, proc, (elf) =>
      symbols.flatMap((symbol) => {
        const found = elf.symbol(symbol);
        // A function of the file's own may be there several times, each copy for some of its callers.
        const all = copies ? elf.copies(symbol) : found === undefined ? [] : [found];
        return all.flatMap(({ address }) => {
          const part = elf.segments.find(
            (one) => address >= one.address && address < one.address + one.fileSize,
          );
          if (part === undefined) return [];
          const offset = address - part.address + part.offset;
          return [{ symbol, path: file.path, mapped: mappedLink(file.pid, code, proc), offset }];
        });
      }),
    ) ?? []
  );
}

function mappedLink(pid: number, { start, end }: MapRegion, proc: string): string {
  return `${proc}/${pid}/map_files/${start.toString(16)}-${end.toString(16)}`;
}
