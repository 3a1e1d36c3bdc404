import type { WeightUnit } from '../model/index.js';
import type { PhaseResolution } from '../rules/index.js';
import type { ThreadAnswer } from './answer.js';
import { wrap } from './findings-text.js';
import { percent, weightText } from './share-text.js';
import { type TextStyle, tableLines } from './table.js';
import { cleanText } from './terminal-text.js';

const INDENT = '  ';

/**
 * How much of physics the native leaves told apart, by release of the engine: nothing is said of a thread without such leaves, and
 * nothing is rescaled, so the parts of physics above are lower bounds.
 */
export function phaseLines({ phases = [] }: ThreadAnswer, unit: WeightUnit, style: TextStyle): string[] {
  const weighing = phases.filter((row) => weightOf(row) > 0);
  if (weighing.length === 0) return [];
  const all = weighing.reduce((sum, row) => sum + weightOf(row), 0);
  const rows = weighing.map((row) => {
    const of = weightOf(row);
    return [
      releaseText(row),
      percent(row.inPhase / of),
      percent(row.shared / of),
      row.withoutFrame === 0 ? '' : percent(row.withoutFrame / of),
    ];
  });
  return [
    ...wrap(
      `How much of physics could be told apart by phase (of ${weightText(all, unit)}):`,
      style.width,
      '  ',
    ),
    ...tableLines(
      [
        { head: '', shrinkTo: 12 },
        { head: 'one phase', align: 'right' },
        { head: 'ambiguous', align: 'right' },
        { head: 'no frame of it', align: 'right', optional: true },
      ],
      rows,
      { ...style, width: style.width - INDENT.length },
    ).map((line) => `${INDENT}${line}`),
  ];
}

function weightOf({ inPhase, shared, withoutFrame }: PhaseResolution): number {
  return inPhase + shared + withoutFrame;
}

function releaseText({ program, version, checked }: PhaseResolution): string {
  if (version === undefined) return `${program}, release unknown`;
  return cleanText(`${program} ${version}${checked === true ? '' : ', not checked'}`);
}
