import type { CostTable } from '../../simulator/index.js';
import { percent } from '../share-text.js';
import { type Coverage, coveredPart } from './coverage.js';
import { type Bounds, type CorroborationLine, notComparable } from './line.js';
import { type Sampled, wallShare } from './sampled.js';

/** What real-time factor a command line tells a program to keep: infinite for as fast as it can, undefined where it says nothing of it. */
export function targetFactor(command: readonly string[]): number | undefined {
  const at = command.findIndex((word) => word === '--pacing' || word.startsWith('--pacing='));
  const word = command[at] ?? '';
  const wanted = word.includes('=') ? word.slice(word.indexOf('=') + 1) : command[at + 1];
  if (at < 0 || wanted === undefined) return undefined;
  if (wanted === 'asap') return Number.POSITIVE_INFINITY;
  const factor = Number(wanted);
  return wanted.trim() !== '' && Number.isFinite(factor) && factor > 0 ? factor : 1;
}

const NAME = 'real-time factor';

/** By its start and its end, and by how it is rounded, a factor may seem this much larger. */
const SLACK = 0.02;

/**
 * The real-time factor of the loop against what its pacer rested. A pacer holds each step to its period and drops what a late one took too
 * long: all that a run lost is in steps that worked, so that the factor, as a part of the pace, is never less than the share of rest.
 */
export function pacingLine(
  loop: CostTable | undefined,
  timestepS: number | undefined,
  sampled: Sampled,
  coverage: Coverage,
): readonly CorroborationLine[] {
  const factor = loop === undefined ? undefined : factorOf(loop, timestepS);
  const [thread] = sampled.threads;
  if (factor === undefined) return [];
  const no = (reason: string): readonly CorroborationLine[] => [
    notComparable('pacing', NAME, 'factor', reason, factor),
  ];
  if (sampled.isLoad) return no('the recording is of the start-up, before any step');
  if (thread === undefined) return no('no thread was sampled');
  const pacing = thread.pooled.filter(({ stack }) => sampled.claimOf(stack).bucket === 'pacer');
  const rests = wallShare(thread, pacing, sampled);
  const told = targetFactor(sampled.command);
  if (told === undefined && pacing.length === 0)
    return no('no sample is in a pacer, and the command line names no pace: any factor may be');
  const target = told ?? 1;
  // In what was not sampled it may have stood still.
  const least = target * rests.low * coveredPart(coverage);
  const restText = `the pacer rests ${percent(rests.value)} of the time`;
  if (!Number.isFinite(target)) {
    if (rests.low === 0) return no('the command line says that nothing is paced: any factor may be');
    return line(factor, undefined, `${restText}, though the command line says that nothing is paced`);
  }
  const samples = { low: least, high: target * (1 + SLACK) };
  if (factor >= samples.low && factor <= samples.high) return line(factor, samples, undefined);
  return line(
    factor,
    samples,
    factor < target
      ? `${restText}, with which the run cannot have been so slow: the factor holds a start-up or a pause that was not sampled, or the run kept another pace than ${String(target)}`
      : `the run was faster than the pace of ${String(target)} that ${told === undefined ? 'a simulation keeps by itself' : 'its command line tells'}: it may have been set otherwise`,
  );
}

function line(
  factor: number,
  samples: Bounds | undefined,
  reason: string | undefined,
): readonly CorroborationLine[] {
  return [
    {
      subject: 'pacing',
      name: NAME,
      unit: 'factor',
      table: { value: factor },
      ...(samples === undefined ? {} : { samples }),
      verdict: reason === undefined ? 'agrees' : 'disagrees',
      ...(reason === undefined ? {} : { reason }),
    },
  ];
}

function factorOf(
  { realTimeFactor, stepsPerS }: CostTable,
  timestepS: number | undefined,
): number | undefined {
  if (realTimeFactor !== undefined) return realTimeFactor;
  return stepsPerS === undefined || timestepS === undefined ? undefined : stepsPerS * timestepS;
}
