/** The variables of raccoon's StepProfiler, under our prefix or under its own; ours count first. */
import type { StepProfilerOptions } from './step-options.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const OWN = 'SIM_PROFILER_';
const RACCOON = 'RACCOON_';
const SWITCH = 'PROFILE';
const SUFFIXES = [
  'TRACE',
  'REPORT',
  'LOOP_LAG',
  'LAG_INTERVAL_MS',
  'LAG_SPIKE_MS',
  'TOP',
  'HAL',
  'SLEEP',
  'HAL_SPAN_MS',
  'DEFER',
] as const;
type Suffix = (typeof SUFFIXES)[number];

const ON = ['1', 'true', 'on', 'yes'];
const OFF = ['0', 'false', 'off', 'no', ''];
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** Undefined where profiling is off, as it is unless it is asked for. What is not understood is told, and counts as not set. */
export function optionsOf(env: Environment, warn: (line: string) => void): StepProfilerOptions | undefined {
  const main = variable(env, SWITCH);
  if (main === undefined) return undefined;
  const path = switchedTo(main, warn);
  if (path === undefined) return undefined;
  for (const name of Object.keys(env)) warnOfUnknown(name, warn);
  const trace = variable(env, `${SWITCH}_TRACE`);
  const reader = new Reader(env, warn);
  const intervalMs = reader.number('LAG_INTERVAL_MS', 1);
  return {
    tracePath: trace === undefined ? path : trace.value === '' ? undefined : trace.value,
    ...given('printReport', reader.flag('REPORT')),
    ...given('loopLag', reader.flag('LOOP_LAG')),
    ...given('loopLagInterval', intervalMs === undefined ? undefined : intervalMs / 1000),
    ...given('lagSpikeMs', reader.number('LAG_SPIKE_MS', 0)),
    ...given('top', reader.number('TOP', 0)),
    ...given('hal', reader.flag('HAL')),
    ...given('sleepTrack', reader.flag('SLEEP')),
    ...given('halSpanMs', reader.number('HAL_SPAN_MS', 0)),
    ...given('deferTrace', reader.flag('DEFER')),
  };
}

function given<Key extends string, Value>(key: Key, value: Value | undefined): Partial<Record<Key, Value>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<Key, Value>>);
}

function variable(env: Environment, rest: string): Variable | undefined {
  for (const prefix of [OWN, RACCOON]) {
    const value = env[prefix + rest];
    if (value !== undefined) return { name: prefix + rest, value: value.trim() };
  }
  return undefined;
}

/** The path of the trace, or undefined for off. A path is what has a `/` or ends in `.json`: all else may be a switch that is mistyped. */
function switchedTo({ name, value }: Variable, warn: (line: string) => void): string | undefined {
  const word = value.toLowerCase();
  if (OFF.includes(word)) return undefined;
  if (ON.includes(word))
    return name.startsWith(RACCOON) ? 'raccoon-profile.json' : 'sim-profiler-profile.json';
  if (value.includes('/') || value.endsWith('.json')) return value;
  warn(
    `${name}=${shown(value)} is no switch (${ON.join(', ')}, ${OFF.slice(0, -1).join(', ')}) and no path (with a / in it, or .json at its end): nothing is profiled.`,
  );
  return undefined;
}

function warnOfUnknown(name: string, warn: (line: string) => void): void {
  const start = `${OWN}${SWITCH}_`;
  if (!name.startsWith(start)) return;
  const rest = name.slice(start.length);
  if (!SUFFIXES.some((suffix) => suffix === rest))
    warn(`${name} is no variable that is known: ${SUFFIXES.map((suffix) => start + suffix).join(', ')}.`);
}

class Reader {
  readonly #env: Environment;
  readonly #warn: (line: string) => void;

  constructor(env: Environment, warn: (line: string) => void) {
    this.#env = env;
    this.#warn = warn;
  }

  flag(suffix: Suffix): boolean | undefined {
    const found = variable(this.#env, `${SWITCH}_${suffix}`);
    if (found === undefined) return undefined;
    const word = found.value.toLowerCase();
    if (ON.includes(word)) return true;
    if (OFF.includes(word)) return false;
    this.#warn(
      `${found.name}=${shown(found.value)} is neither ${ON.join(', ')} nor ${OFF.slice(0, -1).join(', ')}: it counts as not set.`,
    );
    return undefined;
  }

  number(suffix: Suffix, least: number): number | undefined {
    const found = variable(this.#env, `${SWITCH}_${suffix}`);
    if (found === undefined) return undefined;
    const value = NUMBER.test(found.value) ? Number(found.value) : Number.NaN;
    if (Number.isFinite(value) && value >= least) return value;
    if (Number.isFinite(value) && value > 0 && least > 0) {
      this.#warn(
        `${found.name}=${shown(found.value)} is less than ${least}, which Node's timers cannot do: ${least} counts.`,
      );
      return least;
    }
    this.#warn(
      `${found.name}=${shown(found.value)} is no number of at least ${least}: it counts as not set.`,
    );
    return undefined;
  }
}

/** In quotes, and of a long one the beginning: it goes to a terminal. */
function shown(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
}
