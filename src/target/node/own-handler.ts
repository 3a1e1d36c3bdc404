import { loadBias, mappedFiles, withMappedElf } from '../elf/mapped-file.js';
import { baseName } from '../proc/command.js';
import { PROC } from '../proc/file.js';
import { readMaps } from '../proc/maps.js';
import { type ReadMemory, withMemory } from '../proc/memory.js';

/** Places inside a `uv_signal_t` of libuv 1.x on a 64 bit machine: uv.h and uv/unix.h. */
const SIGNUM_AT = 104n;
const LEFT_AT = 112n;
const RIGHT_AT = 120n;
const SIGUSR1 = 10;
/** A program handles a dozen signals; a damaged tree must not keep us. */
const MOST_HANDLES = 256;

/**
 * Whether the program handles SIGUSR1 itself (`process.on('SIGUSR1', …)`), by the tree in which libuv keeps whoever waits for a signal:
 * the kernel tells only that it is caught, which Node does by itself. Undefined where that cannot be seen, as in a stripped Node.
 */
export function handlesItself(pid: number, proc: string = PROC): boolean | undefined {
  const maps = readMaps(pid, proc);
  if (maps === undefined) return undefined;
  for (const file of mappedFiles(pid, maps, (path) => /^(?:node|libnode|libuv)/.test(baseName(path)))) {
    const root = withMappedElf(file, proc, (elf) => {
      const symbol = elf.symbol('uv__signal_tree');
      const bias = loadBias(elf, file.regions);
      return symbol === undefined || bias === undefined ? undefined : symbol.address + bias;
    });
    if (root !== undefined) return withMemory(pid, proc, (read) => holdsSignal(read, root, SIGUSR1));
  }
  return undefined;
}

/** Whether the tree at an address holds a handle of a signal; undefined where it cannot be read. */
export function holdsSignal(read: ReadMemory, root: bigint, signal: number): boolean | undefined {
  const first = pointerAt(read, root);
  if (first === undefined) return undefined;
  const open = [first];
  for (let seen = 0; seen < MOST_HANDLES; seen += 1) {
    const handle = open.pop();
    if (handle === undefined) return false;
    if (handle === 0n) continue;
    const number = read(handle + SIGNUM_AT, 4)?.readInt32LE(0);
    const left = pointerAt(read, handle + LEFT_AT);
    const right = pointerAt(read, handle + RIGHT_AT);
    if (number === undefined || left === undefined || right === undefined) return undefined;
    if (number === signal) return true;
    // No signal has such a number: it is no tree of handles.
    if (number < 1 || number > 64) return undefined;
    open.push(left, right);
  }
  return undefined;
}

function pointerAt(read: ReadMemory, address: bigint): bigint | undefined {
  return read(address, 8)?.readBigUInt64LE(0);
}
