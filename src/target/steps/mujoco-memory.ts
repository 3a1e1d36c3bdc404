import type { ReadMemory } from '../proc/memory.js';

/** `mjModel` begins with whole numbers (its sizes); the first real number in it is `opt.timestep`: so in all that were tried, 2.3.7 to 4.0.0. */
const MODEL_BYTES = 4096;
const SHORTEST_STEP_S = 1e-7;
const LONGEST_STEP_S = 1;

/** Seconds of simulated time that one step adds, as the model at this address says. Undefined where there is no such number. */
export function timestepAt(read: ReadMemory, model: bigint): number | undefined {
  const bytes = readMost(read, model, MODEL_BYTES);
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    const value = bytes.readDoubleLE(at);
    // Whole numbers of any size a model can have are, taken for a real one, next to nothing.
    if (value >= SHORTEST_STEP_S && value <= LONGEST_STEP_S) return value;
  }
  return undefined;
}

/** `mjData` has `time` behind the statistics of its solvers, 160 kB from its start in release 3 and later. */
const DATA_BYTES = 1 << 19;

/** Steps that may lie between the reading of some memory and the counting of its steps. */
const SLACK_STEPS = 3;
/** A sum of many steps is rounded once for each. */
const ROUNDED = 1e-4;

/**
 * Where in `mjData` the simulated time is: the one number that grew by so many steps between two looks. Undefined where none did, or more than one.
 * `steps`: how many were counted meanwhile, at least and at most, since a look takes its time; at least a dozen, so that no other number does the
 * same by chance.
 */
export function timeOffset(
  before: Buffer,
  after: Buffer,
  timestepS: number,
  steps: { readonly least: number; readonly most: number },
): number | undefined {
  const found: number[] = [];
  for (let at = 0; at + 8 <= Math.min(before.length, after.length); at += 8) {
    const from = before.readDoubleLE(at);
    const to = after.readDoubleLE(at);
    const grown = (to - from) / timestepS;
    const slack = SLACK_STEPS + steps.most * ROUNDED;
    if (!(grown >= steps.least - slack && grown <= steps.most + slack)) continue;
    if (Math.abs(grown - Math.round(grown)) <= Math.max(ROUNDED, Math.abs(grown) * 1e-9)) found.push(at);
  }
  return found.length === 1 ? found[0] : undefined;
}

const PAGE = 4096;

/** As much as is mapped, from the first byte on. */
export function readMost(read: ReadMemory, address: bigint, length: number): Buffer {
  const whole = read(address, length);
  if (whole !== undefined) return whole;
  const pages: Buffer[] = [];
  for (let at = 0; at < length;) {
    // To the end of the page, since the next one may not be there.
    const size = Math.min(length - at, PAGE - Number((address + BigInt(at)) % BigInt(PAGE)));
    const page = read(address + BigInt(at), size);
    if (page === undefined) break;
    pages.push(page);
    at += size;
  }
  return Buffer.concat(pages);
}

/** Where the data of a world are, and how far they may reach. */
export interface DataReach {
  readonly data: bigint;
  readonly length: number;
}

/** Not into the data of another world: where both are stepped as often, the time of that one grows just like its own. */
export function reachOf(data: bigint, worlds: readonly { readonly data: bigint }[]): DataReach {
  const behind = worlds.map((other) => Number(other.data - data)).filter((bytes) => bytes > 0);
  return { data, length: Math.min(DATA_BYTES, ...behind) };
}
