import type { CategoryFigures, TelemetrySnapshot } from './api.js';
import { counted, hasSlowFirst, stutters } from './notes.js';

const TITLES = ['category', 'calls', 'total', 'own', 'mean', 'P50', 'P99', 'P99.9', 'max', 'first'];

/** For people: the dearest by own time first, then what stands out. */
export function reportText(snapshot: TelemetrySnapshot): string {
  const categories = snapshot.categories
    .filter(({ calls }) => calls > 0)
    .toSorted((a, b) => b.ownMs + b.ownUnknownMs - (a.ownMs + a.ownUnknownMs));
  const rows = [TITLES, ...categories.map(cellsOf)];
  const widths = TITLES.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const table = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
  return [
    `Telemetry ${snapshot.name}: ${counted(snapshot.threads.length, 'thread')}, ${(snapshot.bytes / 1e6).toFixed(1)} MB`,
    ...(categories.length === 0 ? ['Nothing was measured.'] : table),
    ...categories.filter(stutters).map(stutterLine),
    ...categories.filter(hasSlowFirst).map(firstLine),
    ...snapshot.notes.map(shown),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function cellsOf(category: CategoryFigures): readonly string[] {
  const { name, calls, totalMs, ownMs, meanMs, p50Ms, p99Ms, p999Ms, maxMs, firstMs } = category;
  const own = category.ownUnknownCalls === calls ? '?' : duration(ownMs);
  return [
    shown(name),
    calls.toLocaleString('en-US'),
    duration(totalMs),
    category.ownUnknownCalls > 0 && own !== '?' ? `≥ ${own}` : own,
    ...[meanMs, p50Ms, p99Ms, p999Ms, maxMs, firstMs].map(duration),
  ];
}

function stutterLine({ name, meanMs, p99Ms }: CategoryFigures): string {
  return `Stutter: ${shown(name)} takes ${duration(meanMs)} on average, and one call of a hundred at least ${duration(p99Ms)}.`;
}

function firstLine({ name, firstMs, meanOfOthersMs, threads }: CategoryFigures): string {
  const which = threads === 1 ? 'the first call' : 'the slowest first call of a thread';
  return `First call: ${shown(name)} took ${duration(firstMs)} in ${which}, ${duration(meanOfOthersMs)} on average in the others.`;
}

/** Three digits, in the unit that suits them. */
export function duration(ms: number): string {
  if (ms === 0) return '0';
  for (const [unit, factor] of [
    ['s', 1e-3],
    ['ms', 1],
    ['µs', 1e3],
  ] as const) {
    const value = ms * factor;
    if (value >= 0.9995) return `${digits(value)} ${unit}`;
  }
  return `${digits(ms * 1e6)} ns`;
}

function digits(value: number): string {
  if (value >= 99.95) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(value >= 9.995 ? 1 : 2);
}

/** Names come from the program: one that has control characters in it must not move the cursor. */
function shown(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}
