import { shellLine } from '../../model/index.js';
import { durationText } from '../duration-text.js';
import { wrap } from '../findings-text.js';
import { count, plural } from '../share-text.js';
import { type Column, type TextStyle, tableLines } from '../table.js';
import { cleanText } from '../terminal-text.js';
import type { Verdict } from './line.js';
import type { Holder, HolderKind } from './spike-holder.js';
import type { SpikeLine } from './spike-line.js';
import type { Spikes } from './spikes.js';

const MOST_LINES = 10;

const COLUMNS: readonly Column[] = [
  { head: 'at s', align: 'right' },
  { head: 'trace', align: 'right' },
  { head: 'samples', align: 'right' },
  { head: 'held by', shrinkTo: 14 },
  { head: '' },
];

const VERDICT_TEXT: Readonly<Record<Verdict, string>> = {
  agrees: 'agrees',
  disagrees: 'DISAGREES',
  'not-comparable': 'not seen',
};

const HELD_TEXT: Readonly<Record<HolderKind, string>> = {
  function: '',
  gc: 'gc',
  'gil-wait': 'no GIL',
  'cpu-wait': 'no CPU',
};

const LEGEND: Readonly<Partial<Record<HolderKind, string>>> = {
  gc: 'gc: garbage collection',
  'gil-wait': 'no GIL: it waited for the GIL',
  'cpu-wait': 'no CPU: it waited for a CPU',
};

/** Spikes one by one, the longest first, and the rest in one line; or why there are none. `folder` is what the user calls the recording. */
export function spikesText(
  { count: all, search, each, unknown }: Spikes,
  folder: string,
  style: TextStyle,
): string[] {
  if (each === undefined || search?.offset === undefined)
    return wrap(
      `Spikes are compared in sum, not one by one: ${cleanText(unknown ?? '')}.`,
      style.width,
      '  ',
      '    ',
    );
  const shown = each.slice(0, MOST_LINES);
  const [first] = shown;
  return [
    '',
    ...wrap(
      `Spikes one by one: ${clockText(search.offset)}; there ${search.fits} of the ${search.inside} longest inside it find the loop held for so long${nextText(search)}.`,
      style.width,
      '  ',
      '    ',
    ),
    ...tableLines(
      COLUMNS,
      shown.map((line) => [
        line.fromS.toFixed(3),
        durationText(line.tableUs),
        durationText(line.samples.value),
        line.held === undefined ? '' : cleanText(holderText(line.held)),
        VERDICT_TEXT[line.verdict],
      ]),
      style,
    ),
    ...restLines(each.slice(MOST_LINES)),
    ...wrap(`${summary(each, all)}`, style.width, '  '),
    ...legendLines(shown, style),
    ...reasonLines(shown, style),
    ...(first === undefined
      ? []
      : [
          `  -> ${cleanText(shellLine(['profiler', 'hot', folder, '--from', first.fromS.toFixed(3), '--to', first.toS.toFixed(3)]))}`,
        ]),
  ];
}

function clockText({ us, doubtUs }: { readonly us: number; readonly doubtUs: number }): string {
  const s = us / 1e6;
  return `the trace began ${Math.abs(s).toFixed(3)} s ${s < 0 ? 'before' : 'after'} the recording (±${durationText(doubtUs)})`;
}

function nextText({ next }: NonNullable<Spikes['search']>): string {
  return next === undefined ? '' : `, and with any other offset at most ${next.fits}`;
}

/** `JSONObject (json/decoder.py), from load_map`; raw. The caller's file is in the JSON. */
export function holderText({ kind, place, caller, thread }: Holder): string {
  if (thread !== undefined) return `${HELD_TEXT[kind]}, ${thread} has it`;
  const where = place === undefined ? '' : shortPlace(place);
  if (kind !== 'function') return where === '' ? HELD_TEXT[kind] : `${HELD_TEXT[kind]} in ${where}`;
  return caller === undefined ? where : `${where}, from ${bareName(caller)}`;
}

/** `drive` of `Mission.drive (robot.py)`. */
function bareName(place: string): string {
  const name = place.replace(/ \([^()]*\)$/, '');
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Of a long path its end. */
function shortPlace(place: string): string {
  return place.replace(/\((?:[^()]*\/)([^/()]+\/[^/()]+)\)$/, '($1)');
}

function restLines(rest: readonly SpikeLine[]): string[] {
  if (rest.length === 0) return [];
  const us = rest.reduce((sum, { tableUs }) => sum + tableUs, 0);
  const agree = rest.filter(({ verdict }) => verdict === 'agrees').length;
  return [
    `  … ${plural(rest.length, 'shorter one')}, ${durationText(us)} together; ${count(agree)} of them agree.`,
  ];
}

function summary(each: readonly SpikeLine[], all: number): string {
  const of = (verdict: Verdict): number => each.filter((line) => line.verdict === verdict).length;
  const [disagree, unseen] = [of('disagrees'), of('not-comparable')];
  return `${count(of('agrees'))} of ${plural(each.length, 'spike')} inside the recording agree${disagree === 0 ? '' : `, ${count(disagree)} ${disagree === 1 ? 'disagrees' : 'disagree'}`}${unseen === 0 ? '' : `, ${count(unseen)} had no samples`}${all > each.length ? `; ${count(all - each.length)} more ${all - each.length === 1 ? 'was' : 'were'} outside of it` : ''}.`;
}

function legendLines(shown: readonly SpikeLine[], style: TextStyle): string[] {
  const kinds = new Set(shown.flatMap(({ held }) => held?.kind ?? []));
  const texts = [...kinds].flatMap((kind) => LEGEND[kind] ?? []).toSorted();
  return texts.length === 0 ? [] : wrap(`${texts.join('; ')}.`, style.width, '  ');
}

function reasonLines(shown: readonly SpikeLine[], style: TextStyle): string[] {
  return shown.flatMap(({ fromS, verdict, reason }) =>
    verdict === 'agrees'
      ? []
      : wrap(`At ${fromS.toFixed(3)} s: ${cleanText(reason ?? '')}.`, style.width, '  ', '    '),
  );
}
