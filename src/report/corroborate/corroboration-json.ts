import { objectText } from '../json.js';
import type { CorroborationAnswer } from './corroboration.js';
import type { Bounds } from './line.js';
import { spikesJson } from './spikes-json.js';

/** `kind: "corroboration"`. Shares are 0 to 1, times microseconds. */
export function corroborationJson(answer: CorroborationAnswer): string {
  const { source, recording, coverage, rate, lines, spikes, findings } = answer;
  return objectText('corroboration', {
    source: { path: source },
    recording,
    window: coverage,
    stepRate: rate === undefined ? undefined : { ...figure(rate), from: rate.from },
    lines: lines.map((line) => ({
      ...line,
      table: line.table === undefined ? undefined : figure(line.table),
      samples: line.samples === undefined ? undefined : figure(line.samples),
    })),
    spikes: spikes === undefined ? undefined : spikesJson(spikes),
    findings,
  });
}

/** Six digits behind the point: below any interval, and the same on every machine. */
function figure({ value, low, high }: Bounds): object {
  return { value: rounded(value), low: rounded(low), high: rounded(high) };
}

function rounded(value: number | undefined): number | undefined {
  return value === undefined || !Number.isFinite(value) ? undefined : Math.round(value * 1e6) / 1e6;
}
