import { loadBias, withMappedElf } from '../elf/mapped-file.js';
import { readExe } from '../proc/command.js';
import { PROC } from '../proc/file.js';
import { readMaps } from '../proc/maps.js';
import type { GilRange, Target } from '../target.js';
import { interpreterFiles } from './interpreter.js';

/**
 * Where the interpreter keeps its GIL: the symbol `_PyRuntime` of the library or the executable, moved to where it is
 * loaded. A futex inside it is a wait for the GIL; one on the heap is a lock of the program. `undefined` for what is no
 * CPython 3.7 or newer, for a free-threaded build (no GIL), and where we may not look.
 */
export function findGilRange(
  target: Pick<Target, 'pid' | 'freeThreaded'>,
  proc: string = PROC,
): GilRange | undefined {
  if (target.freeThreaded === true) return undefined;
  const maps = readMaps(target.pid, proc);
  if (maps === undefined) return undefined;
  for (const file of interpreterFiles(target.pid, maps, readExe(target.pid, proc))) {
    const range = withMappedElf(file, proc, (elf) => {
      // The section of that name (3.10 and newer) holds nothing else, and survives where the symbols were stripped.
      const symbol = elf.symbol('_PyRuntime') ?? elf.section('.PyRuntime');
      const bias = loadBias(elf, file.regions);
      if (symbol === undefined || symbol.size === 0n || bias === undefined) return undefined;
      return { start: symbol.address + bias, end: symbol.address + symbol.size + bias, file: file.path };
    });
    if (range !== undefined) return range;
  }
  return undefined;
}
