import type { CostTable } from '../../simulator/index.js';
import { type Coverage, overRun } from './coverage.js';
import { type CorroborationLine, notComparable, verdictOf } from './line.js';
import { inStep, physicsShare } from './physics-share.js';
import { STOPPED, type Sampled, statesOf, weightOf } from './sampled.js';
import { type StepRate, perStep, stepTime } from './step-rate.js';

/** A whole step of physics, by MuJoCo's own clock, against the physics bucket. */
export function physicsLine(
  timers: CostTable,
  sampled: Sampled,
  rate: StepRate | undefined,
  coverage: Coverage,
): readonly CorroborationLine[] {
  const stepUs = stepTime(timers);
  const name = 'mj_step';
  if (stepUs === undefined) return [];
  const no = (reason: string): readonly CorroborationLine[] => [
    notComparable('step', name, 'us', reason, stepUs),
  ];
  const [thread] = sampled.threads;
  if (sampled.isLoad) return no('the recording is of the start-up, before any step');
  if (thread === undefined) return no('no thread was sampled');
  if (rate === undefined || rate.from === 'timers')
    return no('nothing but these timers says how many steps a second the loop made: give --step-rate');
  const samples = overRun(perStep(physicsShare(sampled), rate), coverage);
  const verdict = verdictOf({ value: stepUs }, samples);
  return [
    {
      subject: 'step',
      name,
      unit: 'us',
      table: { value: stepUs },
      samples,
      verdict,
      ...(verdict === 'agrees' ? {} : { reason: whyNot(timers, sampled, stepUs, samples.value) }),
    },
  ];
}

/** This part of the steps' samples waits for a CPU: more than a machine with room to spare makes it wait. */
const CPU_WAIT = 0.1;

function whyNot({ findings }: CostTable, sampled: Sampled, tableUs: number, samplesUs: number): string {
  const hasCallback = findings.some(({ id }) => id === 'mujoco-callback-cost');
  if (sampled.stopped > 0) return STOPPED;
  const [thread] = sampled.threads;
  const entries = thread === undefined ? [] : inStep(thread, sampled);
  if (tableUs > samplesUs) {
    return hasCallback
      ? 'the clock of MuJoCo is a callback in Python here, whose own time and waits for the GIL are in every phase'
      : 'the timers are of all of the run, whose other parts may have had more contacts; or steps are made in other threads, too';
  }
  // Of samples that know no states the interval has the waits in it already, where the kernel told of them.
  const isTold = thread?.answer.estimate.states !== undefined || thread?.answer.totals?.gilWait !== undefined;
  if (!isTold)
    return 'the line that steps also waits for the GIL when it comes back, which no timer of MuJoCo holds and these samples do not tell apart';
  const states = statesOf(entries);
  if (states['cpu-wait'] > CPU_WAIT * weightOf(entries))
    return 'the machine was busier while the recording was made than in the rest of the run: steps waited for a CPU';
  return 'the line that steps does more than mj_step (the binding, callbacks between steps), or the timers were reset with the data; a step of many substeps counts each of them';
}

/** Steps that MuJoCo counted against those that the loop counted. */
export function stepsLine(
  timers: CostTable | undefined,
  loop: CostTable | undefined,
): readonly CorroborationLine[] {
  const [counted, told] = [timers?.steps, loop?.steps];
  if (counted === undefined || told === undefined) return [];
  // A loop may step once or twice before it starts its clock.
  const slack = Math.max(2, Math.ceil(told * 0.001));
  const samples = { value: told, low: Math.max(0, told - slack), high: told + slack };
  const verdict = verdictOf({ value: counted }, samples);
  return [
    {
      subject: 'steps',
      name: 'steps counted',
      unit: 'steps',
      table: { value: counted },
      samples,
      verdict,
      ...(verdict === 'agrees'
        ? {}
        : {
            reason:
              counted < told
                ? 'the data were reset, which clears the timers, or the loop counts a step of several as more'
                : `the loop makes ${(counted / told).toFixed(1)} steps of physics in each of its own`,
          }),
    },
  ];
}
