/**
 * What FlyGym's scripts/replay_behavior_cpu.py and its _gpu.py say when their loop has ended: one line, or two of which the second sums up
 * all worlds.
 */
import type { Finding } from '../model/index.js';
import type { CostTable, TableReader } from './table.js';

const CPU = /^Simulated (\d+) steps in (\d+\.\d+)s \((\d+) steps\/s, (\d+\.\d+)x realtime, /;
const GPU = /^Simulated (\d+) steps \* (\d+) worlds in (\d+\.\d+)s \((no|with) rendering\)$/;
const OVERALL = /^Overall throughput: (\d+\.\d+) steps\/s \((\d+\.\d+)x realtime\)$/;

function throughputs(lines: readonly string[]): readonly CostTable[] {
  return lines.flatMap((line, at) => onCpu(line, at) ?? onGpu(lines, at) ?? []);
}

function onCpu(line: string, at: number): CostTable | undefined {
  const [, steps, seconds, stepsPerS, factor] = CPU.exec(line) ?? [];
  if (steps === undefined) return undefined;
  return table('FlyGym: the loop', at, at, Number(steps), Number(seconds), {
    stepsPerS: Number(stepsPerS),
    realTimeFactor: Number(factor),
    findings: [END_TO_END],
  });
}

function onGpu(lines: readonly string[], at: number): CostTable | undefined {
  const [, steps, worlds, seconds, rendering] = GPU.exec(lines[at] ?? '') ?? [];
  if (steps === undefined) return undefined;
  const [, stepsPerS, factor] = OVERALL.exec(lines[at + 1] ?? '') ?? [];
  return table(
    'FlyGym: the loop on the GPU',
    at,
    stepsPerS === undefined ? at : at + 1,
    Number(steps),
    Number(seconds),
    {
      ...(stepsPerS === undefined ? {} : { stepsPerS: Number(stepsPerS), realTimeFactor: Number(factor) }),
      findings: [together(Number(worlds), factor), rendering === 'no' ? NO_RENDERING : END_TO_END],
    },
  );
}

function table(
  title: string,
  first: number,
  last: number,
  steps: number,
  seconds: number,
  said: Pick<CostTable, 'stepsPerS' | 'realTimeFactor' | 'findings'>,
): CostTable {
  const totalUs = seconds * 1e6;
  return {
    kind: 'flygym-throughput',
    title,
    lines: { from: first + 1, to: last + 1 },
    rows: [
      {
        name: 'step',
        path: [],
        role: 'step',
        calls: steps,
        totalUs,
        ...(steps > 0 ? { perStepUs: totalUs / steps } : {}),
        meaning: 'one round of the loop',
      },
    ],
    steps,
    wholeUs: totalUs,
    ...said,
  };
}

const END_TO_END: Finding = {
  level: 'note',
  id: 'whole-loop',
  what: 'These are times of the whole loop: what it records and renders is in them.',
  why: 'Physics alone is faster; --profile and --mujoco-timing slow the loop down, so that their runs say nothing of its speed.',
};

const NO_RENDERING: Finding = {
  level: 'note',
  id: 'no-frames-rendered',
  what: 'Nothing was rendered or recorded: this is physics alone.',
  why: 'With --save-data the loop does both.',
};

function together(worlds: number, factor: string | undefined): Finding {
  const isKnown = factor !== undefined && worlds > 0;
  const one = isKnown
    ? `; one world runs at ${String(Number((Number(factor) / worlds).toPrecision(3)))} times real time`
    : '';
  return {
    level: 'note',
    id: 'worlds-together',
    what: `Throughput and real-time factor are of ${String(worlds)} worlds together${one}.`,
    why: 'The row is a step that all worlds make at once.',
  };
}

export const FLYGYM_THROUGHPUT: TableReader = { text: throughputs };
