import { alarmLines, noteLines, wrap } from './findings-text.js';
import type { Rtf, RtfMeasured } from './rtf.js';
import { count, plural, wholePercent } from './share-text.js';
import type { TextStyle } from './table.js';
import { cleanText } from './terminal-text.js';

/** Off its pace by less than this, a simulation keeps it: pacers and clocks are no better. */
const KEPT = 0.005;

/** From here on percent say less than a factor. */
const TWICE = 2;
/** An interval that is wider, as a part of the pace, leaves that open. */
const VAGUE = 0.1;

/** Digits of a factor whose interval is that wide: so many that its last one says something. */
function digitsFor(half: number): number {
  if (!(half > 0)) return 3;
  const first = Math.floor(Math.log10(half));
  // `0.021` and `0.03`: a single digit of 1 or 2 would be rounded by half of it.
  const digits = half / 10 ** first < 3 ? 1 - first : -first;
  return Math.min(4, Math.max(2, digits));
}

/** `0.82 ± 0.01`; where the interval is lopsided or holds less than chance, its ends. */
export function factorText({
  factor,
  low,
  high,
  measured,
}: Pick<Rtf, 'factor' | 'low' | 'high'> & { readonly measured?: RtfMeasured }): string {
  if (low === undefined || high === undefined) return factor.toFixed(factor < 10 ? 2 : 1);
  const below = factor - low;
  const above = high - factor;
  const half = Math.max(below, above);
  const digits = digitsFor(half);
  const isReading = measured !== undefined && 'bounds' in measured && measured.bounds === 'reading';
  if (isReading || Math.min(below, above) < 0.8 * half)
    return `${factor.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)}${isReading ? ' by the digits alone' : ''})`;
  return `${factor.toFixed(digits)} ± ${roundedUp(half, digits)}`;
}

/** Never rounded to nothing: an interval without width would claim too much. */
function roundedUp(value: number, digits: number): string {
  return (Math.max(1, Math.ceil(value * 10 ** digits - 1e-6)) / 10 ** digits).toFixed(digits);
}

/** What the factor means for who asked, as the end of a sentence. */
export function verdict({ factor, low = factor, high = factor, pace }: Rtf): string {
  if (pace === undefined) {
    if (low >= 1)
      return `unpaced, it simulates ${factor.toFixed(2)} s in each second, so real time leaves it idle ${wholePercent(1 - 1 / factor)} of the time`;
    if (high <= 1)
      return `it cannot keep up with real time, and falls behind by ${wholePercent(1 - factor)} however it is paced`;
    return 'it can just about keep up with real time, and has no headroom';
  }
  const name = pace === 1 ? 'real time' : `its pace of ${pace}`;
  const part = factor / pace;
  if (factor === 0) return 'simulated time stands still';
  if (low <= pace * (1 + KEPT) && high >= pace * (1 - KEPT))
    return high - low > VAGUE * pace ? `may keep up with ${name}, or not` : `keeps up with ${name}`;
  if (part < 1) return `falls behind ${name} by ${wholePercent(1 - part)}`;
  if (part >= TWICE) return `runs ${part.toFixed(1)} times as fast as ${name}`;
  return `runs ${wholePercent(part - 1)} faster than ${name}`;
}

/** What the verdict leaves open, and a line to type where one says more. */
function meaning(found: Rtf): { readonly text: string; readonly line?: string } {
  const { factor, low = factor, high = factor, pace, target = '--pid PID' } = found;
  const line = `profiler attach ${target}`;
  if (pace === undefined) {
    return low >= 1
      ? {
          text: 'Paced to real time it comes out a little below 1 where single steps overrun: most pacers drop what they are late by.',
        }
      : { text: 'Which part of its step has to shrink:', line };
  }
  if (high < pace * (1 - KEPT))
    return { text: 'A pacer that is late has no time to sleep. Which part of the step takes it:', line };
  if (low > pace * (1 + KEPT))
    return { text: 'No pacer holds it to that: it runs unpaced, or at another pace (--pace FACTOR).' };
  if (high - low > VAGUE * pace) return { text: 'A longer window tells more (--duration).' };
  return {
    text: 'A pacer holds it there: how much faster it could run, only runs without pacing tell (profiler rtf --runs).',
  };
}

function linesText({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? `line ${from}` : `lines ${from}–${to}`;
}

function probeText(measured: Extract<RtfMeasured, { way: 'probe' }>): string {
  const { symbol, timedBy, timestepS, windowS, simS, stepsPerS, steps, perSecond } = measured;
  const size = timestepS === undefined ? '' : ` of ${Number((timestepS * 1000).toPrecision(6))} ms`;
  const counted =
    steps === undefined
      ? `${count(Math.round(stepsPerS))} steps${size} a second by that, too many to count each of them`
      : `${count(steps)} steps${size}`;
  const time =
    timedBy === 'memory'
      ? "by the simulation's own time, read from its memory"
      : 'by the steps that were counted';
  const seconds =
    perSecond.length < 2
      ? ''
      : ` From second to second: ${Math.min(...perSecond).toFixed(3)} to ${Math.max(...perSecond).toFixed(3)}.`;
  return `Simulated ${simS.toFixed(2)} s in ${windowS.toFixed(2)} s, ${time}; ${counted} (${cleanText(symbol)}).${seconds}`;
}

function clockText({
  messages,
  windowS,
  simS,
  perSecond,
  via,
}: Extract<RtfMeasured, { messages: number }>): string {
  const heard = via === undefined ? '' : ` heard with ${cleanText(via)}`;
  const seconds =
    perSecond.length === 0
      ? ''
      : `; from second to second ${Math.min(...perSecond).toFixed(2)}–${Math.max(...perSecond).toFixed(2)}`;
  return `${plural(messages, 'message')} of /clock${heard}: ${simS.toFixed(2)} simulated seconds in ${windowS.toFixed(2)} s${seconds}.`;
}

function measuredText(measured: RtfMeasured): string {
  if (measured.way === 'probe') return probeText(measured);
  if (measured.way === 'log')
    return `As the simulator printed it: ${cleanText(measured.title)}, ${linesText(measured.lines)}.`;
  if ('messages' in measured) return clockText(measured);
  const { runs, startUpS } = measured;
  const lengths = [...new Set(runs.map(({ simS }) => simS))].sort((a, b) => a - b);
  const of = lengths.map((simS) => `${simS} s`).join(' and ');
  const half = (startUpS.high - startUpS.low) / 2;
  return `${plural(runs.length, 'run')} of ${of}; ${startUpS.value.toFixed(2)} s (± ${half.toFixed(2)}) of each are start-up and end, which cancel.${measured.bounds === 'scatter' ? ` The intervals are of ${measured.level * 100} %.` : ''}`;
}

/** A line to type is never wrapped. */
function meaningLines(found: Rtf, style: TextStyle): string[] {
  const { text, line } = meaning(found);
  return [...wrap(text, style.width, '  '), ...(line === undefined ? [] : [`  ${cleanText(line)}`])];
}

/** The screen of `rtf`. Ends with a newline. */
export function rtfText(found: Rtf, style: TextStyle): string {
  const { measured, findings } = found;
  const source = cleanText(found.source);
  const lines = [
    ...(source === '' ? [] : wrap(source, style.width, '  ')),
    ...alarmLines(findings, style),
    ...wrap(`Real-time factor ${factorText(found)}: ${verdict(found)}.`, style.width, '  '),
    ...(found.factor === 0 ? [] : meaningLines(found, style)),
    ...wrap(measuredText(measured), style.width, '  '),
    ...noteLines(findings, style),
    ...('again' in measured ? [`  Again: ${cleanText(measured.again)}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
