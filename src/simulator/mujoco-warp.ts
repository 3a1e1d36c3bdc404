/**
 * What mjwarp-testspeed prints (`--format human`, `short`, `json`; with `--event_trace` the tree of its events), and the summary of MJX's
 * testspeed, which is the same but for its unit. As mujoco_warp/testspeed.py does: times of events are nanoseconds of one step of one
 * world, and an event that comes several times in a step is a list.
 */
import type { Finding } from '../model/index.js';
import { entriesOf, finite, jsonLines } from './json-lines.js';
import { WARP_EVENTS } from './mujoco-warp-events.js';
import type { CostRow, CostTable, TableReader } from './table.js';

const SUMMARY = /^Summary for (\d+) parallel rollouts$/;
const ROLLOUT = /^Rolling out (\d+) \w+ at dt = /;
const TRACE = /^Event trace:$/;
const TOTAL = /^ ?Total ([\w ]+): ([\d,]+(?:\.\d+)?)(?: (s|x|ns|\u00B5s|\u03BCs))?(?: \/ (\d+))?$/;
const NODE = /^((?: {2})*)(\w+): (?:(\d+\.\d+)|\[ (\d+\.\d+(?:, \d+\.\d+)*) \])$/;
const METRIC = /^([\w.]+)((?:\[\d+\])?): (\S+)$/;
const NS = 1e-3;
/** Both machine formats have it, and nothing else of theirs is an event. */
const MARK = 'converged_worlds';
const METRICS =
  /^(?:jit_duration|run_time|steps_per_second|converged_worlds|\w+_memory|(?:ncon|nefc|solver_niter)_\w+)$/;

interface Event {
  readonly path: readonly string[];
  readonly name: string;
  /** Of one step of one world, all its times in a step together. */
  readonly ns: number;
  readonly times: number;
}

interface Speed {
  readonly worlds?: number;
  readonly steps?: number;
  readonly stepsPerS?: number;
  readonly realTimeFactor?: number;
  readonly perStepUs?: number;
  readonly jitS?: number;
  readonly converged?: number;
  readonly isMjx?: boolean;
}

function fromText(lines: readonly string[]): readonly CostTable[] {
  return [
    ...lines.flatMap((line, at) => (SUMMARY.test(line) ? human(lines, at) : [])),
    ...lines.flatMap((line, at) => (line.startsWith('jit_duration: ') ? short(lines, at) : [])),
    ...jsonLines(lines, MARK).flatMap(({ document, at }) => metrics(entriesOf(document), at, at)),
  ];
}

function fromJson(document: unknown): readonly CostTable[] | undefined {
  const values = entriesOf(document);
  return values.has(MARK) && values.has('steps_per_second') ? metrics(values, 0, 0) : undefined;
}

function human(lines: readonly string[], at: number): readonly CostTable[] {
  let last = at;
  let speed: Speed = { worlds: Number(SUMMARY.exec(lines[at] ?? '')?.[1]) };
  let place = at + 1;
  for (; place < lines.length; place += 1) {
    const line = lines[place] ?? '';
    const total = TOTAL.exec(line);
    if (total !== null) {
      speed = { ...speed, ...said(total) };
      last = place;
    } else if (line.trim() !== '') break;
  }
  const events = TRACE.test(lines[place] ?? '') ? trace(lines, place) : undefined;
  const rollout = lines
    .slice(Math.max(0, at - 4), at)
    .map((line) => ROLLOUT.exec(line)?.[1])
    .find((steps) => steps !== undefined);
  const steps = rollout === undefined ? undefined : Number(rollout) * (speed.worlds ?? 1);
  if (speed.stepsPerS === undefined) return [];
  return table(
    { ...speed, ...(steps === undefined ? {} : { steps }) },
    events?.events ?? [],
    at,
    events?.last ?? last,
  );
}

function said([, name = '', number = '', unit, of]: RegExpExecArray): Speed {
  const value = Number(number.replaceAll(',', ''));
  if (name === 'JIT time') return { jitS: value };
  if (name === 'steps per second') return { stepsPerS: value };
  if (name === 'realtime factor') return { realTimeFactor: value };
  if (name === 'time per step')
    return unit === 'ns' ? { perStepUs: value * NS } : { perStepUs: value, isMjx: true };
  if (name === 'converged worlds' && of !== undefined) return { converged: value };
  return {};
}

/** Two blanks for each level; the tree ends with the first line that is no node of it. */
function trace(
  lines: readonly string[],
  at: number,
): { readonly events: readonly Event[]; readonly last: number } {
  const events: Event[] = [];
  const above: string[] = [];
  let last = at;
  for (let place = at + 1; place < lines.length; place += 1) {
    const line = lines[place] ?? '';
    const [, blanks, name, one, list] = NODE.exec(line) ?? [];
    if (blanks === undefined || name === undefined) {
      if (line === '' && events.length === 0) continue;
      break;
    }
    const depth = blanks.length / 2;
    if (depth > above.length) break;
    const times = (one ?? list ?? '').split(', ').map(Number);
    above.length = depth;
    events.push({ path: [...above], name, ns: sum(times), times: times.length });
    above.push(name);
    last = place;
  }
  return { events, last };
}

function short(lines: readonly string[], at: number): readonly CostTable[] {
  const values = new Map<string, unknown>();
  let last = at;
  for (let place = at; place < lines.length; place += 1) {
    const [, name, index, value] = METRIC.exec(lines[place] ?? '') ?? [];
    if (name === undefined || (name === 'jit_duration' && place > at)) break;
    values.set(`${name}${index ?? ''}`, Number(value));
    last = place;
  }
  return metrics(values, at, last);
}

/** Of both machine formats: dots join an event to what it is in, and `[0]` counts its times in a step. */
function metrics(values: ReadonlyMap<string, unknown>, first: number, last: number): readonly CostTable[] {
  const of = (name: string): number | undefined => finite(values.get(name));
  const [stepsPerS, runS, jitS] = [of('steps_per_second'), of('run_time'), of('jit_duration')];
  if (stepsPerS === undefined || !values.has(MARK)) return [];
  const events = new Map<string, Event>();
  for (const [key, value] of values) {
    const ns = finite(value);
    if (METRICS.test(key) || ns === undefined) continue;
    const id = key.replace(/\[\d+\]$/, '');
    const path = id.split('.');
    const before = events.get(id);
    events.set(id, {
      path: path.slice(0, -1),
      name: path.at(-1) ?? id,
      ns: ns + (before?.ns ?? 0),
      times: 1 + (before?.times ?? 0),
    });
  }
  const speed: Speed = {
    stepsPerS,
    perStepUs: 1e6 / stepsPerS,
    ...(runS === undefined ? {} : { steps: Math.round(runS * stepsPerS) }),
    ...(jitS === undefined ? {} : { jitS }),
  };
  return table(speed, [...events.values()], first, last);
}

function table(speed: Speed, events: readonly Event[], first: number, last: number): readonly CostTable[] {
  const { worlds, steps, stepsPerS, realTimeFactor, perStepUs, jitS, converged, isMjx = false } = speed;
  const parts = partsOf(events);
  const roots = (parts.get('') ?? 0) * NS;
  const whole = perStepUs ?? (events.length > 0 ? roots : undefined);
  const rest = events.length === 0 || whole === undefined || whole < roots ? undefined : whole - roots;
  return [
    {
      kind: 'mujoco-warp',
      title: isMjx
        ? 'MJX testspeed'
        : events.length > 0
          ? 'MuJoCo Warp: events of a step'
          : 'MuJoCo Warp testspeed',
      lines: { from: first + 1, to: last + 1 },
      rows: [
        ...events.map((event) => row(event, parts.get(fullName(event)), whole)),
        ...(jitS === undefined ? [] : [jit(jitS)]),
      ],
      ...(steps === undefined ? {} : { steps }),
      ...(realTimeFactor === undefined ? {} : { realTimeFactor }),
      ...(stepsPerS === undefined ? {} : { stepsPerS }),
      ...(whole === undefined ? {} : { wholeUs: whole }),
      ...(rest === undefined ? {} : { restUs: rest }),
      ...(rest === undefined || whole === undefined || whole === 0 ? {} : { restShare: rest / whole }),
      findings: [
        allWorlds(worlds, perStepUs),
        ...(converged === undefined || worlds === undefined || converged === worlds
          ? []
          : [diverged(converged, worlds)]),
        ...(events.length > 0 ? [EVENTS] : isMjx ? [] : [NO_TRACE]),
      ],
    },
  ];
}

function fullName({ path, name }: Event): string {
  return [...path, name].join('.');
}

/** What the events directly below each event add up to. */
function partsOf(events: readonly Event[]): ReadonlyMap<string, number> {
  const parts = new Map<string, number>();
  for (const { path, ns } of events) parts.set(path.join('.'), (parts.get(path.join('.')) ?? 0) + ns);
  return parts;
}

function row(
  { path, name, ns, times }: Event,
  partsNs: number | undefined,
  whole: number | undefined,
): CostRow {
  const self = partsNs === undefined ? undefined : ns - partsNs;
  return {
    name,
    path,
    role: path.length === 0 ? 'step' : 'part',
    perStepUs: ns * NS,
    ...(whole === undefined || whole === 0 ? {} : { share: (ns * NS) / whole }),
    ...(self === undefined || self < 0 ? {} : { selfUs: self * NS }),
    ...(times > 1 ? { of: `${String(times)} times a step` } : {}),
    ...WARP_EVENTS[name],
  };
}

function jit(seconds: number): CostRow {
  return {
    name: 'JIT',
    path: [],
    role: 'once',
    totalUs: seconds * 1e6,
    meaning: 'building kernels and capturing the graph: once, and outside of the speed',
    lever: 'kernels are kept in the cache of Warp: the second start of a model is shorter',
  };
}

function allWorlds(worlds: number | undefined, perStepUs: number | undefined): Finding {
  const isKnown = worlds !== undefined && worlds > 1 && perStepUs !== undefined;
  return {
    level: 'note',
    id: 'worlds-together',
    what: isKnown
      ? `All numbers are of ${String(worlds)} worlds together: a step of all of them takes ${(worlds * perStepUs).toFixed(1)} us of wall time, and one world runs at 1/${String(worlds)} of the real-time factor.`
      : 'Times are of one step of one world, amortised over all worlds that run together; how many they are, this output does not say.',
    why: 'A faster total by more worlds does not bring a single robot nearer to real time.',
  };
}

function diverged(converged: number, worlds: number): Finding {
  return {
    level: 'warning',
    id: 'worlds-diverged',
    what: `${String(worlds - converged)} of ${String(worlds)} worlds ended with positions that are no numbers.`,
    why: 'Steps of such worlds cost less or more than those of a simulation that works: the speed says little.',
    fix: 'a smaller timestep, or less noise (--noise_std)',
  };
}

const EVENTS: Finding = {
  level: 'note',
  id: 'events-on-gpu',
  what: 'Events are times of the GPU between two marks; what they leave of the time per step is launching the graph and waiting for it.',
  why: 'Loops that run on the GPU itself (the iterations of the solver) are in the event around them, without events of their own.',
};

const NO_TRACE: Finding = {
  level: 'note',
  id: 'no-event-trace',
  what: 'This run says how fast it was, not where its time went.',
  why: 'Events are recorded on request only.',
  fix: 'mjwarp-testspeed MODEL --event_trace',
};

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export const MUJOCO_WARP: TableReader = { text: fromText, json: fromJson };
