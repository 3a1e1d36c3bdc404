// Prints its report when its input ends, and goes on.
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { StepProfiler } from '../../../../dist/telemetry/steps/index.js';

const prof = new StepProfiler();
prof.step('a', () => undefined);
await once(process.stdin.resume(), 'end');
await prof.close();
for (let at = 0; at < 10; at += 1) await turn();
process.stderr.write('went on');
