import { durationText } from '../duration-text.js';
import { alarmLines, noteLines, wrap } from '../findings-text.js';
import { grouped } from '../selection.js';
import { count, plural } from '../share-text.js';
import { type Column, type TextStyle, tableLines } from '../table.js';
import { cleanText } from '../terminal-text.js';
import type { CorroborationAnswer } from './corroboration.js';
import type { Bounds, CorroborationLine, FigureUnit, Verdict } from './line.js';
import { spikesText } from './spikes-text.js';
import type { StepRate } from './step-rate.js';

const COLUMNS: readonly Column[] = [
  { head: '', shrinkTo: 14 },
  { head: 'table', align: 'right' },
  { head: 'samples', align: 'right', optional: true },
  { head: '95 %', align: 'right', optional: true },
  { head: '' },
];

const VERDICT_TEXT: Readonly<Record<Verdict, string>> = {
  agrees: 'agrees',
  disagrees: 'DISAGREES',
  'not-comparable': 'not comparable',
};

const RATE_TEXT: Readonly<Record<StepRate['from'], string>> = {
  given: 'as given',
  loop: 'as the loop counted them',
  probe: 'as a probe counted them',
  timers: 'from the timers of MuJoCo and the samples of physics',
};

/** The screen of `tables --corroborate`. Ends with a newline. */
export function corroborationText(answer: CorroborationAnswer, style: TextStyle): string {
  const { source, recording, lines, spikes, findings, rate, coverage } = answer;
  const where = source === '-' ? 'standard input' : cleanText(source);
  const { recordedS, runS } = coverage;
  const facts = [
    `${recordedS.toFixed(1)} s sampled${runS === undefined ? '' : ` of a run of ${runS.toFixed(1)} s`}`,
    ...(rate === undefined ? [] : [`${count(Math.round(rate.value))} steps/s, ${RATE_TEXT[rate.from]}`]),
  ];
  const printed = [
    ...wrap(`${where} against ${cleanText(recording.path)}: ${facts.join('; ')}.`, style.width, '  '),
    ...alarmLines(findings, style),
    ...tableLines(
      COLUMNS,
      lines.map((line) => [
        cleanText(line.name),
        line.table === undefined ? '' : figureText(line.table.value, line.unit),
        line.samples?.value === undefined ? '' : figureText(line.samples.value, line.unit),
        line.samples === undefined ? '' : rangeText(line.samples, line.unit),
        VERDICT_TEXT[line.verdict],
      ]),
      style,
    ),
    ...wrap(`${summary(lines)}${per(lines)}`, style.width, '  '),
    ...heldLines(lines, style),
    ...whyNotLines(lines, style),
    ...(spikes === undefined ? [] : spikesText(spikes, recording.path, style)),
    ...noteLines(findings, style),
  ];
  return `${printed.join('\n')}\n`;
}

function summary(lines: readonly CorroborationLine[]): string {
  const of = (verdict: Verdict): number => lines.filter((line) => line.verdict === verdict).length;
  const [agree, disagree, no] = [of('agrees'), of('disagrees'), of('not-comparable')];
  return `${[
    `${plural(agree, 'line agrees', 'lines agree')}`,
    `${count(disagree)} ${disagree === 1 ? 'disagrees' : 'disagree'}`,
    ...(no === 0 ? [] : [`${count(no)} cannot be compared`]),
  ].join(', ')}.`;
}

function per(lines: readonly CorroborationLine[]): string {
  return lines.some(({ subject }) => subject === 'hook' || subject === 'step')
    ? ' Times of hooks and of mj_step are of one step.'
    : '';
}

/** What held an event loop up: the spikes themselves do not say. */
function heldLines(lines: readonly CorroborationLine[], style: TextStyle): string[] {
  return lines.flatMap(({ subject, name, place }) =>
    subject === 'lag' && place !== undefined
      ? wrap(`${cleanText(name)}: held most by ${cleanText(place)}.`, style.width, '  ', '    ')
      : [],
  );
}

/** Each reason once, with the lines that it is of. */
function whyNotLines(lines: readonly CorroborationLine[], style: TextStyle): string[] {
  const open = lines.filter(({ verdict }) => verdict === 'not-comparable');
  return [...grouped(open, ({ reason }) => reason ?? '')].flatMap(([reason, own]) =>
    wrap(
      `Not compared: ${own.map(({ name }) => cleanText(name)).join(', ')}: ${cleanText(reason)}.`,
      style.width,
      '  ',
      '    ',
    ),
  );
}

function figureText(value: number, unit: FigureUnit): string {
  if (unit === 'us') return durationText(value);
  if (unit === 'share') return `${(value * 100).toFixed(1)} %`;
  return unit === 'steps' ? count(Math.round(value)) : value.toFixed(2);
}

function rangeText({ low, high }: Bounds, unit: FigureUnit): string {
  if (low === undefined && high === undefined) return '';
  return `${figureText(low ?? 0, unit)} – ${figureText(high ?? 0, unit)}`;
}
