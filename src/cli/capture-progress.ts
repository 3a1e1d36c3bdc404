import { SingleBar } from 'cli-progress';
import type { CaptureEvent, CaptureRequest } from '../capture/index.js';
import type { Recording } from '../recording/index.js';
import { bar, count, plural, type TextStyle } from '../report/index.js';
import { shownPid } from '../target/index.js';
import type { Io } from './io.js';
import { recordedS } from './window.js';

interface Progress {
  readonly onEvent: (event: CaptureEvent) => void;
  /** What was recorded in the end; before `stop`. */
  readonly done: (recording: Recording) => void;
  readonly stop: () => void;
}

const PHASES = {
  before: 'measuring the loop before',
  sampling: 'sampling',
  after: 'measuring the loop after',
  writing: 'writing the recording',
} as const;

/** Whether what stands on the last line of standard error may be drawn again: by a terminal that can, with somebody before it. */
export function mayRedraw({ stderrIsTerminal, env }: Pick<Io, 'stderrIsTerminal' | 'env'>): boolean {
  const ofCi = env['CI'] !== undefined && env['CI'] !== '' && env['CI'] !== 'false';
  return stderrIsTerminal && env['TERM'] !== 'dumb' && !ofCi;
}

/**
 * Tells what a capture is doing on standard error, in a line first; then by a bar where it may be redrawn, by a line for each phase on any
 * other terminal, and no more elsewhere.
 */
export function captureProgress(io: Io, request: CaptureRequest): Progress {
  const { target, durationS, baselineS } = request;
  const beside = baselineS > 0 ? `, and watching its loop ${baselineS} s before and after` : '';
  io.err(
    `Sampling process ${shownPid(target)} for ${durationS} s${beside}; Ctrl-C ends early and keeps what there is.\n`,
  );
  if (request.native) io.err('With --native every sample stops the target for about 0.5 ms.\n');
  if (mayRedraw(io)) return barProgress(io, durationS);
  if (!io.stderrIsTerminal) return { onEvent: nothing, done: nothing, stop: nothing };
  return {
    onEvent: (event) => {
      if (event.kind === 'phase') io.err(`  ${PHASES[event.phase]}\n`);
    },
    done: nothing,
    stop: nothing,
  };
}

interface Done {
  readonly doneS: number;
  readonly samples: number;
  /** Empty: nothing is going on any more. */
  readonly phase: string;
  /** All that was asked for was recorded. */
  readonly whole?: boolean;
}

/** Columns that the words beside the bar take, and the fewest and most of the bar itself. */
const WORDS = 58;
const SHORTEST = 10;
const LONGEST = 30;

/** The line of the bar: `  █████░░░░░ 10.0 of 20 s   2,487 samples   sampling`. Shorter than the terminal is wide. */
export function progressLine(
  { doneS, samples, phase, whole = false }: Done,
  durationS: number,
  style: TextStyle,
): string {
  const columns = Math.max(SHORTEST, Math.min(LONGEST, style.width - WORDS));
  const drawn = bar(whole ? 1 : doneS / durationS, columns, style).padEnd(
    columns,
    style.ascii === true ? '.' : '░',
  );
  const time = whole ? `${doneS.toFixed(1)} s` : `${doneS.toFixed(1)} of ${count(durationS)} s`;
  // Counted once a slice is read.
  const counted = samples > 0 || phase === '' ? [plural(samples, 'sample')] : [];
  const words = [`  ${drawn} ${time}`, ...counted, ...(phase === '' ? [] : [phase])];
  return words.join('   ').slice(0, style.width - 1);
}

function barProgress(io: Io, durationS: number): Progress {
  let done: Done = { doneS: 0, samples: 0, phase: PHASES.before };
  const options = {
    format: () => progressLine(done, durationS, io.errStyle),
    terminal: oneLine((text) => io.err(text)),
    stream: process.stderr,
  };
  const drawn = new SingleBar(options);
  drawn.start(durationS, 0);
  const redraw = (changes: Partial<Done>): void => {
    done = { ...done, ...changes };
    drawn.update(done.doneS);
  };
  return {
    onEvent: (event) =>
      redraw(
        event.kind === 'phase'
          ? { phase: PHASES[event.phase] }
          : { doneS: Math.min(durationS, event.doneS), samples: event.samples },
      ),
    done: (recording) =>
      redraw({
        doneS: recordedS(recording),
        samples: recording.slices.reduce((sum, slice) => sum + (slice.samples ?? 0), 0),
        whole: recording.ended === 'complete',
      }),
    stop: () => {
      redraw({ phase: '' });
      drawn.stop();
    },
  };
}

function nothing(): void {}

/**
 * What a bar needs of a terminal: to write its line again. The library's own one also saves the cursor and puts it back, which after a
 * message in between is a line that was written to since.
 */
function oneLine(write: (text: string) => void): object {
  return {
    cursorSave: nothing,
    cursorRestore: nothing,
    cursor: nothing,
    lineWrapping: nothing,
    cursorTo: () => write('\r'),
    clearRight: () => write('\u001b[K'),
    clearLine: () => write('\r\u001b[K'),
    newline: () => write('\n'),
    write,
    isTTY: () => true,
    getWidth: () => Number.POSITIVE_INFINITY,
  };
}
