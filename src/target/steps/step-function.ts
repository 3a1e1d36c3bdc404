import { PROC } from '../proc/file.js';
import { type MapRegion, readMaps } from '../proc/maps.js';
import { type MappedFile, mappedFiles, withMappedElf } from '../elf/mapped-file.js';

/** What one simulation step is in MuJoCo: `mj_step`, or its second half where a program calls the halves itself. */
export const MUJOCO_STEPS: readonly string[] = ['mj_step', 'mj_step2'];

/** A function of the target that is called once for each step. */
export interface StepFunction {
  readonly symbol: string;
  /** File that holds it, as the target sees it. */
  readonly path: string;
  /** The same file as the kernel has it mapped, whatever lies at its path by now: `/proc/PID/map_files/START-END`. */
  readonly mapped: string;
  /** Bytes from the start of the file. */
  readonly offset: bigint;
}

/** Those of the symbols that the process has loaded, each where it is found first; a file named after MuJoCo is looked into first. */
export function findStepFunctions(
  pid: number,
  symbols: readonly string[] = MUJOCO_STEPS,
  proc: string = PROC,
): readonly StepFunction[] {
  const files = mappedFiles(pid, readMaps(pid, proc) ?? [], () => true).filter(({ regions }) =>
    regions.some(({ executable }) => executable),
  );
  const ordered = files.toSorted((a, b) => Number(isMujoco(b)) - Number(isMujoco(a)));
  const found: StepFunction[] = [];
  for (const file of ordered) {
    const missing = symbols.filter((symbol) => found.every((one) => one.symbol !== symbol));
    if (missing.length === 0) break;
    found.push(...inFile(file, missing, proc));
    // The halves of a step are in the library that has the whole one.
    if (found.length > 0 && symbols === MUJOCO_STEPS) break;
  }
  return found;
}

function isMujoco({ path }: MappedFile): boolean {
  return /mujoco[^/]*$/.test(path);
}

function inFile(file: MappedFile, symbols: readonly string[], proc: string): readonly StepFunction[] {
  const code = file.regions.find(({ executable }) => executable);
  if (code === undefined) return [];
  return (
    withMappedElf(file, proc, (elf) =>
      symbols.flatMap((symbol) => {
        const address = elf.symbol(symbol)?.address;
        if (address === undefined) return [];
        const part = elf.segments.find(
          (one) => address >= one.address && address < one.address + one.fileSize,
        );
        return part === undefined
          ? []
          : [
              {
                symbol,
                path: file.path,
                mapped: mappedLink(file.pid, code, proc),
                offset: address - part.address + part.offset,
              },
            ];
      }),
    ) ?? []
  );
}

function mappedLink(pid: number, { start, end }: MapRegion, proc: string): string {
  return `${proc}/${pid}/map_files/${start.toString(16)}-${end.toString(16)}`;
}
