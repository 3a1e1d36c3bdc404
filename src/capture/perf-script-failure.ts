import { ProfilerError, shellLine } from '../model/index.js';
import type { PerfRoute } from '../target/index.js';
import type { ResolvedPerf } from './resolve-perf.js';

/** How perf says that it cannot read what another perf wrote. */
const OTHER_VERSION = /incompatible file format|unsupported ABI|more recent/i;
const WORDS_SHOWN = 300;

/** The first slice of which `perf script` ended badly. */
export function unprintedSlice(slices: readonly ResolvedPerf[]): ResolvedPerf | undefined {
  return slices.find(({ said }) => said !== '');
}

/** The error of a recording that perf made and could not print: nothing is known of the target then, least of all that it slept. */
export function scriptFailure(script: PerfRoute['script'], data: string, said: string): ProfilerError {
  const words = said.replace(/\s+/g, ' ').trim().slice(-WORDS_SHOWN);
  const cause = OTHER_VERSION.test(said)
    ? 'The perf that prints is of another version than the one that recorded'
    : 'Most likely the perf that prints is of another version than the one that recorded';
  return new ProfilerError({
    id: 'perf-script-failed',
    what: `perf recorded, but perf script failed; what it recorded is kept in ${data}.`,
    why: `Its own words: ${words}. ${cause}: record and script have to be by the same perf.`,
    fix: `${shellLine([script(data)[0] ?? 'perf', 'script', '-i', data])}  (or that of the perf that recorded)`,
  });
}
