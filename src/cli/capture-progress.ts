import { SingleBar } from 'cli-progress';
import type { CaptureEvent, CaptureRequest } from '../capture/index.js';
import { shownPid } from '../target/index.js';
import type { Io } from './io.js';

interface Progress {
  readonly onEvent: (event: CaptureEvent) => void;
  readonly stop: () => void;
}

const PHASES = {
  before: 'measuring the loop before',
  sampling: 'sampling',
  after: 'measuring the loop after',
  writing: 'writing the recording',
} as const;

/** Tells what a capture is doing on standard error: a bar on a terminal, one line per phase elsewhere, nothing with --json off a terminal. */
export function captureProgress(io: Io, request: CaptureRequest): Progress {
  const { target, durationS, baselineS } = request;
  const beside = baselineS > 0 ? `, and watching its loop ${baselineS} s before and after` : '';
  io.err(
    `Sampling process ${shownPid(target)} for ${durationS} s${beside}; Ctrl-C ends early and keeps what there is.\n`,
  );
  if (request.native) io.err('With --native every sample stops the target for about 0.5 ms.\n');
  if (!io.stderrIsTerminal) return { onEvent: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    format: `{bar} {value} of {total} s   {samples} samples   {phase}`,
    barsize: 30,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
  });
  bar.start(durationS, 0, { samples: 0, phase: PHASES.before });
  return {
    onEvent: (event) => {
      if (event.kind === 'phase') bar.update({ phase: PHASES[event.phase] });
      else bar.update(Math.min(durationS, Math.round(event.doneS * 10) / 10), { samples: event.samples });
    },
    stop: () => bar.stop(),
  };
}
