// Ends in the middle of a step: node ends.mjs HOW PATH [defer]
import { statSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { StepProfiler } from '../../../../dist/telemetry/steps/index.js';

const [how, tracePath, defer] = process.argv.slice(2);
const prof = new StepProfiler({ tracePath, deferTrace: defer === 'defer', printReport: how !== 'kill' });
for (let at = 0; at < 1000; at += 1)
  await prof.step(`turn(${at})`, async () => prof.phase('hal:A.b', () => at));

if (how === 'reject') {
  // Nobody waits for it, nor would without a profiler.
  void prof.step('last', async () => Promise.reject(new Error('the mission failed')));
}
await prof.step('last', async () => {
  if (how === 'exit') process.exit(3);
  if (how === 'throw') throw new Error('the mission failed');
  if (how === 'kill') {
    // What is on its way is on the disk soon; what comes after may not be.
    while (!(statSync(tracePath, { throwIfNoEntry: false })?.size > 0)) await turn();
    process.kill(process.pid, 'SIGKILL');
  }
  // The program has nothing left to do, and the step never ends.
  await new Promise(() => {});
});
