import { spanTracks, trackEvents, trackTitle } from '../model/index.js';
import type { ProgramSpan, SpanTrack } from '../model/index.js';
import type { SpeedscopeEvent, SpeedscopeTrack } from './speedscope-file.js';
import type { SpeedscopeFrames } from './speedscope-frames.js';

/** Tracks of what a program measured, as profiles of their own: speedscope draws no two beside each other. */
export function speedscopeTracks(
  spans: readonly ProgramSpan[],
  frames: SpeedscopeFrames,
  threadName: (tid: number) => string,
): readonly SpeedscopeTrack[] {
  return spanTracks(spans).map((track) => ({
    name: `${threadName(track.tid)} · ${trackTitle(track)}`,
    endS: endNs(track) / 1e9,
    events: () => eventsOf(track, frames),
  }));
}

function endNs({ spans }: SpanTrack): number {
  return spans.reduce((last, span) => Math.max(last, span.endNs), 0);
}

function* eventsOf(track: SpanTrack, frames: SpeedscopeFrames): Generator<SpeedscopeEvent> {
  for (const { type, span, ns } of trackEvents(track))
    yield { type: type === 'begin' ? 'O' : 'C', frame: frames.marker(span.name), at: ns / 1e9 };
}
