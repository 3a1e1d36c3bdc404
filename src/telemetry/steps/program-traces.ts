import { warned } from './step-options.js';
import { StepTraces } from './step-traces.js';

/**
 * State of the module, which nothing else here has: `flushTraces` writes the traces of all profilers of a program, and asks for none of them.
 * Each copy of the package has its own. Made only when it is asked for: a program that uses another part of the package has none of this.
 */
let traces: StepTraces | undefined;

export function programTraces(): StepTraces {
  traces ??= new StepTraces({ warn: warned });
  return traces;
}

const told = new Set<string>();

/** A program makes a profiler for each mission, and is to be told once that a variable is wrong. */
export function warnedOnce(line: string): void {
  if (told.has(line)) return;
  told.add(line);
  warned(line);
}
