import { framesOf, threadText } from '../model/index.js';
import type { Profile } from '../model/index.js';
import type { Format, WriteFacts } from './format.js';
import { NO_STACK } from './no-stack.js';
import { type SpeedscopeProfile, speedscopeText } from './speedscope-file.js';
import { SpeedscopeFrames } from './speedscope-frames.js';
import { GAP, samplesByThread } from './speedscope-samples.js';
import { speedscopeTracks } from './speedscope-tracks.js';

/**
 * The file of speedscope (https://www.speedscope.app): one sampled profile per thread, the one with the most samples first. Weights are
 * seconds where the profile measures time, else samples. Written whole, however large; what the viewer can open is the viewer's limit. Names are
 * plain: the program writes `speedscopeView`, which knows buckets and what a sample is worth.
 */
export const SPEEDSCOPE: Format = {
  id: 'speedscope',
  title: 'speedscope JSON',
  // It is only written.
  sniff: () => 'no',
  write: plainText,
};

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
