import { framesOf, threadText } from '../model/index.js';
import type { Profile } from '../model/index.js';
import type { Format, Sniffed, WriteFacts } from './format.js';
import { readJson } from './json-file.js';
import { NO_STACK } from './no-stack.js';
import { type SpeedscopeProfile, speedscopeText } from './speedscope-file.js';
import { headText } from './sniff.js';
import { SpeedscopeFrames } from './speedscope-frames.js';
import { speedscopeProfile } from './speedscope-reader.js';
import { GAP, samplesByThread } from './speedscope-samples.js';
import { speedscopeTracks } from './speedscope-tracks.js';

const RECORD = 'py-spy record --idle -f raw -o FILE --pid PID';

/**
 * The file of speedscope (https://www.speedscope.app). What is written has one sampled profile per thread, the one with the most samples
 * first; weights are seconds where the profile measures time, else samples. It is written whole, however large: what the viewer can open
 * is the viewer's limit. Names are plain: the program writes `speedscopeView`, which knows buckets and what a sample is worth.
 */
export const SPEEDSCOPE: Format = {
  id: 'speedscope',
  title: 'speedscope JSON',
  sniff,
  read: async (chunks, origin) => {
    const kind = {
      what: 'a file of speedscope',
      cut: 'what wrote it was ended meanwhile, or the disk was full',
      record: RECORD,
      smaller: RECORD,
    };
    return speedscopeProfile(await readJson(chunks, origin.path, kind), origin);
  },
  write: plainText,
};

/** The frames may stand first, and be longer than the head. */
function sniff(head: Uint8Array): Sniffed {
  const text = headText(head);
  if (text === undefined || !/^\s*\{/.test(text)) return 'no';
  if (text.includes('www.speedscope.app/file-format-schema')) return 'yes';
  return /^\s*\{\s*"(?:exporter|profiles|shared)"\s*:/.test(text) ? 'unsure' : 'no';
}

function plainText(profile: Profile, { spans = [] }: WriteFacts = {}): Iterable<string> {
  const frames = new SpeedscopeFrames();
  const indexOf = frames.of(profile.frames);
  const seconds = profile.unit === 'nanoseconds';
  const profiles = samplesByThread(profile).map(({ thread, stack, weight }): SpeedscopeProfile => ({
    name: threadText(profile.threads[thread] ?? {}) || `thread ${thread + 1}`,
    unit: seconds ? 'seconds' : 'none',
    *samples() {
      for (const [at, row] of stack.entries()) {
        yield {
          frames:
            row === -1
              ? [frames.marker(NO_STACK)]
              : row === GAP
                ? []
                : framesOf(profile, row).map((frame) => indexOf(frame)),
          weight: (weight[at] ?? 0) * (seconds ? 1e-9 : 1),
        };
      }
    },
  }));
  return speedscopeText({
    name: profile.origin.path ?? profile.origin.format,
    exporter: 'sim-profiler',
    active: 0,
    profiles,
    tracks: speedscopeTracks(spans, frames, (tid) => {
      const thread = profile.threads.find((one) => one.tid === tid);
      return threadText(thread ?? { tid });
    }),
    frames: frames.list,
  });
}
