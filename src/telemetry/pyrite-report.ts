/**
 * `profiling_results.json` as `save_report` of Pyrite's `src/profiler.py` writes it: `json.dump(..., indent=4)` of rounded numbers. P99 is of
 * the last durations and counted as NumPy does, so that it is equal to Pyrite's; calls, total, mean, least and largest are of the whole run,
 * which Pyrite forgets once a ring is full.
 */
import type { CategoryFigures, TelemetrySnapshot } from './api.js';

export function pyriteText({ categories }: TelemetrySnapshot): string {
  const parts = categories.filter(({ calls }) => calls > 0).map(categoryText);
  return parts.length === 0 ? '{}' : `{\n${parts.join(',\n')}\n}`;
}

function categoryText({ name, calls, sumMs, meanMs, minMs, maxMs, keptP99Ms }: CategoryFigures): string {
  const fields = [
    ['Calls', `${calls}`],
    ['Avg_ms', rounded(meanMs)],
    ['Min_ms', rounded(minMs)],
    ['Max_ms', rounded(maxMs)],
    ['P99_ms', rounded(keptP99Ms)],
    ['Total_Time_ms', rounded(sumMs)],
  ];
  const lines = fields.map(([key, value]) => `        "${key}": ${value}`);
  return `    ${asciiText(name)}: {\n${lines.join(',\n')}\n    }`;
}

/** As `round(x, 3)` of Python: what lies exactly in the middle goes to the even digit. Only odd sixteenths lie there exactly. */
export function rounded(value: number): string {
  const sixteenths = value * 16;
  const below = Math.floor(value * 1000);
  const isMiddle = sixteenths % 2 === 1;
  const number = isMiddle ? (below + (below % 2)) / 1000 : Number(value.toFixed(3));
  return Number.isInteger(number) ? `${number}.0` : `${number}`;
}

/** Python escapes all that is not ASCII. */
function asciiText(name: string): string {
  return JSON.stringify(name).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
