import type { Finding } from '../model/index.js';
import type { StepRuns } from './raccoon-runs.js';
import type { RaccoonTrace } from './raccoon-trace-events.js';

export interface StepTimes {
  /** Of all steps, added. */
  readonly sumUs: number;
  readonly wallUs: number;
  /** In which at least one step ran. */
  readonly coveredUs: number;
}

/** A thousandth of a second is more than rounding makes of thousands of steps. */
const TELLING_US = 1000;

export function stepFindings(trace: RaccoonTrace, steps: StepRuns, times: StepTimes): readonly Finding[] {
  const found: Finding[] = [];
  const { sumUs, wallUs, coveredUs } = times;
  if (steps.runs.length === 0)
    found.push({
      level: 'warning',
      id: 'no-steps',
      what: 'The trace has no step that ended.',
      why: 'The mission ran none while the profiler was on, or the trace was cut off before the first.',
    });
  if (sumUs > coveredUs + TELLING_US)
    found.push({
      level: 'note',
      id: 'steps-beside-each-other',
      what: `Steps ran beside each other: ${seconds(sumUs)} s of steps in ${seconds(wallUs)} s.`,
      why: 'Shares are of the time of all steps; of the wall clock, as the text report of raccoon has them, they pass 100 %.',
    });
  const inside = steps.runs.filter(({ innerUs }) => innerUs > 0).length;
  if (inside > 0)
    found.push({
      level: 'note',
      id: 'steps-inside-steps',
      what: `${inside} steps ran other steps in their body without being composites.`,
      why: 'Here each has only its own time; the text report of raccoon counts the inner ones twice.',
    });
  if (steps.unended.length > 0)
    found.push({
      level: 'warning',
      id: 'steps-not-ended',
      what: `${steps.unended.length} steps had not ended when the profiler did, among them ${steps.unended[0]?.signature ?? ''}.`,
      why: 'The trace gives them a duration of 0: they are left out.',
    });
  const clipped = steps.runs.filter(({ parts }) => parts.sleepUs + parts.halUs > parts.executeUs + 1).length;
  if (clipped > 0)
    found.push({
      level: 'note',
      id: 'parts-exceed-body',
      what: `In ${clipped} steps sleep and hardware calls are longer than the body.`,
      why: 'Several waits of one body ran at the same time: its parts do not add up to it, and its Python time is unknown rather than none.',
    });
  if (trace.unreadable > 0)
    found.push({
      level: 'warning',
      id: 'unreadable-events',
      what: `${trace.unreadable} events are none that the profiler writes: they are left out.`,
      why: 'Another program wrote the trace again, or it is of a later version of raccoon.',
    });
  return found;
}

function seconds(us: number): string {
  return (us / 1e6).toFixed(3);
}
