import type { CostTable } from '../../simulator/index.js';
import { percent } from '../share-text.js';
import { type Coverage, coveredPart } from './coverage.js';
import { type CorroborationLine, notComparable } from './line.js';
import { type Sampled, wallShare } from './sampled.js';

/** What real-time factor a program was told to keep: infinite if none. */
export function targetFactor(command: readonly string[]): number {
  const at = command.findIndex((word) => word === '--pacing' || word.startsWith('--pacing='));
  const word = command[at] ?? '';
  const wanted = word.includes('=') ? word.slice(word.indexOf('=') + 1) : command[at + 1];
  if (at < 0 || wanted === undefined) return 1;
  if (wanted === 'asap') return Number.POSITIVE_INFINITY;
  const factor = Number(wanted);
  return wanted.trim() !== '' && Number.isFinite(factor) && factor > 0 ? factor : 1;
}

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
  const name = 'real-time factor';
  if (factor === undefined) return [];
  const no = (reason: string): readonly CorroborationLine[] => [
    notComparable('pacing', name, 'factor', reason, factor),
  ];
  if (sampled.isLoad) return no('the recording is of the start-up, before any step');
  if (thread === undefined) return no('no thread was sampled');
  const pacing = thread.pooled.filter(({ stack }) => sampled.claimOf(stack).bucket === 'pacer');
  const rests = wallShare(thread, pacing, sampled);
  const target = targetFactor(sampled.command);
  // In what was not sampled it may have stood still.
  const least = target * rests.low * coveredPart(coverage);
  const isPaced = Number.isFinite(target);
  const samples = isPaced ? { value: target, low: least, high: target * (1 + SLACK) } : { value: factor };
  const isIn = isPaced ? factor >= least && factor <= target * (1 + SLACK) : rests.low === 0;
  const restText = `the pacer rests ${percent(rests.value)} of the time`;
  const reason = !isPaced
    ? `${restText}, though the command line says that nothing is paced`
    : factor < target
      ? `${restText}, with which the run cannot have been so slow: the factor holds a start-up or a pause that was not sampled, or the run kept another pace than ${String(target)}`
      : `the run was faster than the pace of ${String(target)} that its command line tells: it may have been set otherwise`;
  return [
    {
      subject: 'pacing',
      name,
      unit: 'factor',
      table: { value: factor },
      samples,
      verdict: isIn ? 'agrees' : 'disagrees',
      ...(isIn ? {} : { reason }),
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
