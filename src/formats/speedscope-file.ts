/**
 * The file of speedscope, as far as it is written here: sampled profiles with one table of frames. Defined by
 * `file-format-schema.json` of speedscope's release and its `src/lib/file-format-spec.ts`.
 */
export interface SpeedscopeFile {
  /** Title of the window. */
  readonly name: string;
  /** Who wrote it: `sim-profiler@0.1.0`. */
  readonly exporter: string;
  /** Index of the profile that is shown first. */
  readonly active: number;
  readonly profiles: readonly SpeedscopeProfile[];
  /** Behind the profiles. */
  readonly tracks?: readonly SpeedscopeTrack[];
  /** Written last, so that frames may be added while the samples are written. */
  readonly frames: readonly SpeedscopeFrame[];
}

export interface SpeedscopeFrame {
  readonly name: string;
  /** Source file, or the library of native code. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
}

export interface SpeedscopeProfile {
  readonly name: string;
  /** What a weight is; `none`: a number of samples. */
  readonly unit: 'seconds' | 'none';
  /** In the order in which they are shown from left to right. */
  readonly samples: () => Iterable<SpeedscopeSample>;
}

/** What begins and ends, in order of time and well nested; seconds since the window began. */
export interface SpeedscopeTrack {
  readonly name: string;
  readonly endS: number;
  readonly events: () => Iterable<SpeedscopeEvent>;
}

export interface SpeedscopeEvent {
  /** Opens, closes. */
  readonly type: 'O' | 'C';
  readonly frame: number;
  readonly at: number;
}

export interface SpeedscopeSample {
  /** Indexes into the frames, root first; empty: a gap. */
  readonly frames: readonly number[];
  /** Samples without weight are left out: speedscope has no place for them. */
  readonly weight: number;
}

const SCHEMA = 'https://www.speedscope.app/file-format-schema.json';

/** The file in pieces of text. */
export function* speedscopeText(file: SpeedscopeFile): Generator<string> {
  const { name, exporter, active } = file;
  yield `${JSON.stringify({ $schema: SCHEMA, name, exporter, activeProfileIndex: active }).slice(0, -1)},"profiles":[`;
  for (const [index, profile] of file.profiles.entries()) {
    if (index > 0) yield ',';
    yield* profileText(profile);
  }
  for (const track of file.tracks ?? []) {
    yield ',';
    yield* trackText(track);
  }
  yield '\n],"shared":{"frames":[';
  for (const [index, { name: called, file: path, line }] of file.frames.entries()) {
    yield `${index === 0 ? '' : ','}\n${JSON.stringify({ name: called, file: path, line })}`;
  }
  yield '\n]}}\n';
}

function* profileText({ name, unit, samples }: SpeedscopeProfile): Generator<string> {
  yield `\n{"type":"sampled","name":${JSON.stringify(name)},"unit":"${unit}","startValue":0,"samples":[`;
  const weights: number[] = [];
  for (const { frames, weight } of samples()) {
    if (!(weight > 0)) continue;
    yield `${weights.length === 0 ? '' : ','}[${frames.join(',')}]`;
    weights.push(rounded(weight));
  }
  yield '],"weights":[';
  const piece = 4096;
  for (let at = 0; at < weights.length; at += piece) {
    yield `${at === 0 ? '' : ','}${weights.slice(at, at + piece).join(',')}`;
  }
  yield `],"endValue":${rounded(weights.reduce((sum, weight) => sum + weight, 0))}}`;
}

function* trackText({ name, endS, events }: SpeedscopeTrack): Generator<string> {
  yield `\n{"type":"evented","name":${JSON.stringify(name)},"unit":"seconds","startValue":0,"endValue":${rounded(endS)},"events":[`;
  let first = true;
  for (const { type, frame, at } of events()) {
    yield `${first ? '' : ','}{"type":"${type}","frame":${frame},"at":${rounded(at)}}`;
    first = false;
  }
  yield ']}';
}

/** Twelve digits: what is beyond is the rounding of the machine, which would fill half the file. */
function rounded(weight: number): number {
  return Number(weight.toPrecision(12));
}
