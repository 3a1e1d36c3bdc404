import { PART } from './raccoon-parts.js';

/** A line of the report's tables of calls and of steps. Names of more than 33 letters are cut to 30 and three dots. */
export interface ReportRow {
  readonly name: string;
  readonly isCut: boolean;
  readonly calls: number;
  /** In seconds: of a call all of it, of a step its overhead. */
  readonly totalS: number;
  /** Milliseconds, in the order of the columns. */
  readonly ms: readonly number[];
}

export interface ReportSpike {
  readonly atS: number;
  readonly lagMs: number;
  readonly near: string;
}

/** What a report says, in its own units. */
export interface ReportText {
  readonly from: number;
  readonly to: number;
  /** Whether its last line is there. */
  readonly isWhole: boolean;
  readonly wallS?: number;
  readonly leafSteps?: number;
  /** Seconds by the names of `PART`. */
  readonly partsS: ReadonlyMap<string, number>;
  /** Largest share of the wall clock that it prints, in percent. */
  readonly mostPercent: number;
  /** `=> X% of step wall time is overhead`. */
  readonly overheadPercent?: number;
  readonly motion?: {
    readonly computeS?: number;
    readonly waitS?: number;
    readonly cycles?: number;
    readonly meanMs?: number;
  };
  /** Calls into hardware that steps made. */
  readonly halCalls?: number;
  readonly hal: readonly ReportRow[];
  readonly steps: readonly ReportRow[];
  /** Lines that stand where rows do and are none: damaged, or of another version. */
  readonly unread: readonly string[];
  readonly lag?: {
    readonly samples?: number;
    readonly intervalMs?: number;
    readonly maxMs?: number;
    readonly p50Ms?: number;
    readonly p99Ms?: number;
    readonly thresholdMs?: number;
    readonly spikes?: number;
  };
  readonly noLag: boolean;
  readonly spikes: readonly ReportSpike[];
  readonly tracePath?: string;
  /** Whether it says more of its file than that it is written, as sim-profiler/telemetry does: raccoon says that before it is. */
  readonly isTraceTold?: boolean;
  /** Events that its file does not have, and why. */
  readonly traceLacks?: { readonly events: number; readonly why: string };
}

const HEAD = /^ *STEP PROFILER REPORT$/;
const RULE = /^={78}$/;

const SECTIONS: readonly (readonly [Section, RegExp])[] = [
  ['where', /^ {2}WHERE THE TIME GOES /],
  ['motion', /^ {2}MOTION on_update\(\) /],
  ['body', /^ {2}INSIDE THE STEP BODY /],
  ['hal', /^ {2}TOP HAL \/ TRANSPORT CALLS /],
  ['steps', /^ {2}TOP STEPS BY TOTAL OVERHEAD /],
  ['lag', /^ {2}EVENT-LOOP LAG /],
];
type Section = 'where' | 'motion' | 'body' | 'hal' | 'steps' | 'lag';

/** No title has a colon, so that a line of blanks costs no more than its length. */
const VALUE = /^ {2,}(\S[^:]*): +(\d+\.\d+) s +(?:(\d+\.\d)%|n\/a)(.*)$/;
const NAMES: readonly (readonly [string, string])[] = [
  ['step body ', PART.execute],
  ['overhead ', PART.overhead],
  ['db write ', PART.dbWrite],
  ['db read ', PART.dbRead],
  ['resource acquire', PART.acquire],
  ['other ', PART.other],
  ['deliberate sleep ', PART.sleep],
  ['HAL/transport calls ', PART.hal],
  ['python compute ', PART.compute],
];

/** Columns may run together where a number fills its own: then only their widths tell them apart. */
const HAL_ROWS = [
  /^ {2}(.{33}) +(\d+) +(\d+\.\d{3})s *(\d+\.\d{3}) *(\d+\.\d{3})$/u,
  /^ {2}(.{33}) (.{6})(\d+\.\d{3})s *(\d+\.\d{3}) *(\d+\.\d{3})$/u,
];
const STEP_ROWS = [
  /^ {2}(.{33}) +(\d+) +(\d+\.\d{3})s *(\d+\.\d) *(\d+\.\d) *(\d+\.\d)$/u,
  /^ {2}(.{33}) (.{4})(\d+\.\d{3})s *(\d+\.\d) *(\d+\.\d) *(\d+\.\d)$/u,
];

/** What begins like a row of the tables of calls and of steps, but for their heads. What another program printed has no such blanks. */
const ROW_LIKE = /^ {2}(?=\S)(?!-+$|(?:method|signature) +n +|Open it at )/;

/** All reports of a log, in their order. `lines` are bare. */
export function reportTexts(lines: readonly string[]): readonly ReportText[] {
  const heads = lines.flatMap((line, at) => (HEAD.test(line) ? [at] : []));
  return heads.map((head, at) => reportOf(lines, head, heads[at + 1] ?? lines.length));
}

/** A report that the program could not finish ends with the rule above the next one: that is not its own. */
function reportOf(lines: readonly string[], head: number, next: number): ReportText {
  const rules = [...lines.slice(head, next).keys()]
    .map((at) => head + at)
    .filter((at) => RULE.test(lines[at] ?? ''));
  const close = rules.find((at, place) => place > 0 && at !== next - 1);
  const end = close ?? next;
  const reader = new Reader();
  let last = head;
  for (let at = head + 1; at < end; at += 1) if (reader.take(lines[at] ?? '')) last = at;
  return { from: head + 1, to: (close ?? last) + 1, isWhole: close !== undefined, ...reader.read() };
}

type Read = { -readonly [Key in keyof Omit<ReportText, 'from' | 'to' | 'isWhole'>]: ReportText[Key] };

class Reader {
  #section: Section | undefined;
  readonly #parts = new Map<string, number>();
  readonly #hal: ReportRow[] = [];
  readonly #steps: ReportRow[] = [];
  readonly #spikes: ReportSpike[] = [];
  readonly #unread: string[] = [];
  readonly #read: Read = {
    partsS: this.#parts,
    mostPercent: 0,
    hal: this.#hal,
    steps: this.#steps,
    unread: this.#unread,
    spikes: this.#spikes,
    noLag: false,
  };

  read(): Read {
    return this.#read;
  }

  /** Whether the line is one of a report. */
  take(line: string): boolean {
    const section = SECTIONS.find(([, head]) => head.test(line))?.[0];
    if (section !== undefined) {
      this.#section = section;
      return true;
    }
    return this.#takeHead(line) || this.#takeValue(line) || this.#takeRow(line);
  }

  #takeHead(line: string): boolean {
    const read = this.#read;
    const wall = /^ {2}wall clock \(all steps\) +: +(\d+\.\d+) s$/.exec(line)?.[1];
    const leaves = /^ {2}leaf steps executed +: (\d+)$/.exec(line)?.[1];
    const overhead = /^ {2}=> (\d+\.\d)% of step wall time is overhead/.exec(line)?.[1];
    const [, told, path] =
      /^ {2}Chrome trace (written|in memory|not finished|not whole): (.+)$/.exec(line) ?? [];
    const [, missing, why = ''] = /^ {2}(\d+) events are missing: (.+)$/.exec(line) ?? [];
    if (wall !== undefined) read.wallS = Number(wall);
    else if (leaves !== undefined) read.leafSteps = Number(leaves);
    else if (overhead !== undefined) read.overheadPercent = Number(overhead);
    else if (path !== undefined) {
      read.tracePath = path;
      if (told !== 'written') read.isTraceTold = true;
    } else if (missing !== undefined) read.traceLacks = { events: Number(missing), why };
    else if (/^ {2}It is whole: \d+ bytes\.$/.test(line)) read.isTraceTold = true;
    else return false;
    return true;
  }

  #takeValue(line: string): boolean {
    const [, padded, seconds, percent, rest = ''] = VALUE.exec(line) ?? [];
    if (padded === undefined) return this.#section === 'motion' && this.#takeCycles(line);
    const title = padded.trimEnd();
    this.#read.mostPercent = Math.max(this.#read.mostPercent, Number(percent ?? 0));
    if (this.#section === 'motion') {
      if (title === 'on_update compute')
        this.#read.motion = { ...this.#read.motion, computeS: Number(seconds) };
      else if (title === 'waiting for motion')
        this.#read.motion = { ...this.#read.motion, waitS: Number(seconds) };
      return true;
    }
    const name = NAMES.find(([start]) => `${title} `.startsWith(start))?.[1];
    if (name === undefined) return false;
    this.#parts.set(name, Number(seconds));
    const calls = /<- (\d+) synchronous hardware calls/.exec(rest)?.[1];
    if (calls !== undefined) this.#read.halCalls = Number(calls);
    return true;
  }

  #takeCycles(line: string): boolean {
    const [, cycles, mean] = /^ {2}on_update cycles +: (\d+) +\(avg (\d+\.\d+) ms\/cycle\)$/.exec(line) ?? [];
    if (cycles === undefined) return false;
    this.#read.motion = { ...this.#read.motion, cycles: Number(cycles), meanMs: Number(mean) };
    return true;
  }

  #takeRow(line: string): boolean {
    if (this.#section === 'hal') return this.#takeRowOf(line, this.#hal, HAL_ROWS);
    if (this.#section === 'steps') return this.#takeRowOf(line, this.#steps, STEP_ROWS);
    return this.#section === 'lag' && this.#takeLag(line);
  }

  #takeRowOf(line: string, rows: ReportRow[], patterns: readonly RegExp[]): boolean {
    const row = rowOf(line, patterns);
    if (row !== undefined) rows.push(row);
    else if (ROW_LIKE.test(line)) this.#unread.push(line.trim());
    return row !== undefined;
  }

  #takeLag(line: string): boolean {
    const [, samples, interval] = /^ {2}samples +: (\d+) @ (\d+) ms$/.exec(line) ?? [];
    const most = /^ {2}max lag +: +(\d+\.\d) ms$/.exec(line)?.[1];
    const [, p50, p99] = /^ {2}p50 \/ p99 lag +: +(\d+\.\d) \/ (\d+\.\d) ms$/.exec(line) ?? [];
    const [, threshold, spikes] = /^ {2}spikes > (\d+) ms +: (\d+)$/.exec(line) ?? [];
    const [, at, lag, near] = /^ +t= *(\d+\.\d+)s +lag= *(\d+\.\d) ms +near: (.+)$/.exec(line) ?? [];
    const { lag: known } = this.#read;
    if (samples !== undefined)
      this.#read.lag = { ...known, samples: Number(samples), intervalMs: Number(interval) };
    else if (most !== undefined) this.#read.lag = { ...known, maxMs: Number(most) };
    else if (p50 !== undefined) this.#read.lag = { ...known, p50Ms: Number(p50), p99Ms: Number(p99) };
    else if (threshold !== undefined)
      this.#read.lag = { ...known, thresholdMs: Number(threshold), spikes: Number(spikes) };
    else if (near !== undefined) this.#spikes.push({ atS: Number(at), lagMs: Number(lag), near });
    else if (line.startsWith('  (loop-lag monitor did not run')) this.#read.noLag = true;
    else return false;
    return true;
  }
}

function rowOf(line: string, patterns: readonly RegExp[]): ReportRow | undefined {
  const match = patterns.map((pattern) => pattern.exec(line)).find((one) => one !== null);
  if (match === undefined || match === null) return undefined;
  const [, padded = '', calls = '', total = '', ...ms] = match;
  const count = Number(calls);
  if (!Number.isInteger(count) || count <= 0) return undefined;
  return {
    name: padded.trimEnd(),
    // A shorter name has blanks behind it here.
    isCut: padded.endsWith('...'),
    calls: count,
    totalS: Number(total),
    ms: ms.map(Number),
  };
}
