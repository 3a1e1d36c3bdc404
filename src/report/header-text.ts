import type { Lost, WeightUnit } from '../model/index.js';
import type { RunFacts, SourceRef, Window } from './answer.js';
import { wrap } from './findings-text.js';
import { count, plural, weightText } from './share-text.js';
import { cleanText, truncateMiddle } from './terminal-text.js';

/** `20.0 s at 250 Hz`; what is unknown is left out, and nothing known gives nothing. */
export function windowText(window: Window): string | undefined {
  const parts: string[] = [];
  if (window.from !== undefined && window.to !== undefined)
    parts.push(`${secondText(window.from)} to ${secondText(window.to)} s`);
  else if (window.wallS !== undefined) parts.push(`${window.wallS.toFixed(1)} s`);
  if (window.rateHz !== undefined) parts.push(`at ${count(window.rateHz)} Hz`);
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** As exact as it was asked for, to the microsecond. */
export function secondText(seconds: number): string {
  return String(Number(seconds.toFixed(6)));
}

/** Routes without a way to speak of: sampler and target lived side by side. */
const NEAR: ReadonlySet<string> = new Set(['direct']);

function runParts(run: RunFacts, window: Window): string[] {
  const inside = run.nsPid !== undefined && run.nsPid !== run.pid ? `, ${run.nsPid} inside` : '';
  const command = truncateMiddle(cleanText(run.command.join(' ')), 60);
  const sampled = windowText(window);
  const { priority } = run;
  return [
    cleanText(run.title),
    `pid ${run.pid}${inside}${command === '' ? '' : ` (${command})`}`,
    ...(NEAR.has(run.route)
      ? []
      : [`route: ${cleanText(run.route)}${run.route.startsWith('override') ? '' : ', no restart'}`]),
    sampled === undefined ? priority : `${sampled}, ${priority}`,
  ];
}

/** First lines of every answer: what was looked at, for how long, and how much was seen. */
export function headerLines(
  facts: { readonly source: SourceRef; readonly window: Window; readonly run?: RunFacts },
  seen: { readonly weight: number; readonly unit: WeightUnit; readonly threads: number },
  width: number,
): string[] {
  const { source, window, run } = facts;
  const amount = [weightText(seen.weight, seen.unit), plural(seen.threads, 'thread')];
  if (run === undefined && seen.unit === 'samples' && window.ticks !== undefined && window.ticks > 0) {
    amount.push(plural(window.ticks, 'tick'), `${(seen.weight / window.ticks).toFixed(2)} samples per tick`);
  }
  if (window.errors !== undefined && window.errors > 0) amount.push(plural(window.errors, 'read error'));
  const parts =
    run === undefined
      ? [source.path === '-' ? 'standard input' : cleanText(source.path), source.format, windowText(window)]
      : runParts(run, window);
  return [
    ...wrap(parts.filter((part) => part !== undefined).join(' · '), width, '  '),
    ...wrap(amount.join(' · '), width, '  '),
    ...(run?.chosenBecause === undefined
      ? []
      : wrap(`Chosen: ${cleanText(run.chosenBecause)}`, width, '  ', '    ')),
    ...(run === undefined ? [] : endedLines(run)),
  ];
}

function endedLines(run: RunFacts): string[] {
  if (run.ended === 'interrupted') return ['  Ended early: this is what was recorded until then.'];
  if (run.ended === 'target-ended')
    return ['  The target ended or was replaced: this is what was recorded until then.'];
  if (run.ended === 'target-paused')
    return ['  The target was paused: this is what was recorded until then.'];
  return [];
}

/** What could not be read of the input; nothing when all of it was. */
export function lostLines(lost: Lost): string[] {
  const parts: string[] = [];
  if (lost.lines > 0) parts.push(`${plural(lost.lines, 'line')} could not be read`);
  if (lost.samples > 0) parts.push(`${plural(lost.samples, 'sample')} lost by the sampler`);
  if (parts.length === 0) return [];
  return [
    `  Not counted: ${parts.join(', ')}.`,
    ...lost.examples.map((example) => `    ${cleanText(example)}`),
  ];
}
