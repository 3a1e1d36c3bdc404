import { objectText, share } from './json.js';
import type { Rtf, RtfMeasured } from './rtf.js';

interface Windowed {
  readonly windowS: number;
  readonly simS: number;
  readonly perSecond: readonly number[];
}

function windowJson({ windowS, simS, perSecond }: Windowed): object {
  return { windowS: share(windowS), simS: share(simS), perSecond: perSecond.map((one) => share(one)) };
}

function measuredJson(measured: RtfMeasured): object {
  if (measured.way === 'log') return measured;
  if (measured.way === 'probe') {
    const { windowS, simS, stepsPerS, perSecond, ...rest } = measured;
    return { ...rest, stepsPerS: share(stepsPerS), ...windowJson({ windowS, simS, perSecond }) };
  }
  if ('messages' in measured) {
    const { windowS, simS, perSecond, ...rest } = measured;
    return { ...rest, ...windowJson({ windowS, simS, perSecond }) };
  }
  const { way, runs, startUpS, bounds, level, again } = measured;
  return {
    way,
    runs: runs.map(({ simS, wallS, readingS }) => ({ simS, wallS, readingS })),
    startUpS: { value: share(startUpS.value), low: share(startUpS.low), high: share(startUpS.high) },
    bounds,
    level,
    again,
  };
}

/** `kind: "rtf"`. */
export function rtfJson({ source, factor, low, high, pace, measured, findings }: Rtf): string {
  return objectText('rtf', {
    source,
    factor: share(factor),
    low: share(low),
    high: share(high),
    pace,
    ...measuredJson(measured),
    findings,
  });
}
