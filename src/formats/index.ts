import type { Profile } from '../model/index.js';
import { ZERO_X_TICKS } from './0x-ticks.js';
import { CPYTHON } from './cpython.js';
import { CHROME, MOST_CHROME_CALLS } from './chrome.js';
import { CPUPROFILE } from './cpuprofile.js';
import { FIREFOX } from './firefox.js';
import { FOLDED } from './folded.js';
import type { Chunks, Format } from './format.js';
import { PERF_SCRIPT } from './perf-script.js';
import { PYSPY_RAW } from './pyspy-raw.js';
import { readProfileAs } from './read-profile.js';
import type { ReadOptions } from './read-profile.js';
import { SPEEDSCOPE } from './speedscope.js';
import { V8_LOG } from './v8-log.js';

export type { Chunks, Format, Sniffed, StackMark, WriteFacts } from './format.js';
export type { ReadOptions } from './read-profile.js';
export { perfEvents } from './perf-script-events.js';
export type {
  PerfCut,
  PerfEvent,
  PerfLost,
  PerfNoise,
  PerfPlace,
  PerfRecord,
  PerfSample,
  PerfSwitch,
  PerfThrottle,
} from './perf-script-event.js';
export { foldedText } from './folded.js';
export { readPerfWindow } from './perf-window.js';
export type { PerfWindow, WindowOfPerf } from './perf-window.js';
export { harmlessPage, zeroXProfile, zeroXText } from './0x-page.js';
export { MOST_CHROME_CALLS };
export { chromeCalls } from './chrome-events.js';
export { NO_STACK } from './no-stack.js';
export { asList, asRecord, asText, asWhole } from './json-file.js';
export { speedscopeTracks } from './speedscope-tracks.js';
export { speedscopeText } from './speedscope-file.js';
export type {
  SpeedscopeTrack,
  SpeedscopeFile,
  SpeedscopeProfile,
  SpeedscopeSample,
} from './speedscope-file.js';
export { SpeedscopeFrames } from './speedscope-frames.js';
export { GAP, pooledByThread, samplesByThread, stackDepths, weightOf } from './speedscope-samples.js';
export type { ThreadSamples } from './speedscope-samples.js';
export { boundedStack, framesIn, heaviestThatFit, SPEEDSCOPE_LIMITS } from './speedscope-limits.js';
export type { Sized, SpeedscopeLimits } from './speedscope-limits.js';
export { HEAD_BYTES } from './source-bytes.js';

/** Every format, one line each. Between two that are equally sure of a file the first wins. */
export const FORMATS: readonly Format[] = [
  PYSPY_RAW,
  FOLDED,
  PERF_SCRIPT,
  CPUPROFILE,
  V8_LOG,
  ZERO_X_TICKS,
  SPEEDSCOPE,
  CPYTHON,
  CHROME,
  FIREFOX,
];

/**
 * Reads a profile; the format is recognised by the first 64 KiB unless it is named.
 * @throws ProfilerError `unknown-format`, `no-samples`, `no-such-format` (exit code 2), `differential-file`.
 */
export function readProfile(
  chunks: Chunks,
  origin: { readonly path?: string },
  options: ReadOptions = {},
): Promise<Profile> {
  return readProfileAs(FORMATS, chunks, origin, options);
}
