import { PROC } from '../proc/file.js';
import { readMaps } from '../proc/maps.js';
import { loadBias, mappedFiles, withMappedElf } from './mapped-file.js';

/** Where a piece of machine code of a process comes from. */
export interface CodeName {
  /** File that holds it, as the process sees it. */
  readonly file: string;
  /** Its function, as far as the file's own tables have it. */
  readonly symbol?: string;
}

/** Undefined where no file is mapped at the address: code that was made as the program ran. */
export function codeName(pid: number, address: bigint, proc: string = PROC): CodeName | undefined {
  const maps = readMaps(pid, proc) ?? [];
  const region = maps.find(({ start, end }) => address >= start && address < end);
  if (region?.path === undefined) return undefined;
  const [file] = mappedFiles(pid, maps, (path) => path === region.path);
  if (file === undefined) return undefined;
  const symbol = withMappedElf(file, proc, (elf) => {
    const bias = loadBias(elf, file.regions);
    return bias === undefined ? undefined : elf.functionAt(address - bias);
  });
  return { file: region.path, ...(symbol === undefined ? {} : { symbol }) };
}
