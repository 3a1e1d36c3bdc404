/**
 * FlyGym's performance report (`print_perf_report`, `print_perf_report_parallel` of its utils/profiling.py): physics and rendering of one
 * step, with a note below on how many frames there were. Cells without a frame are `nan`.
 */
import type { Finding } from '../model/index.js';
import { grids, numberIn } from './grid.js';
import type { Grid } from './grid.js';
import type { CostRow, CostTable, TableReader } from './table.js';

const FRAMES =
  /^\* Note: (\d+) frames were rendered out of (\d+) steps\. Therefore, rendering time per image is (\d+) us\./;
const NONE = /^\* Note: No frames were rendered\./;
/** The note is wrapped to the width of the table. */
const NOTE_LINES = 3;

interface Note {
  readonly text: string;
  readonly lines: number;
}

function reports(lines: readonly string[]): readonly CostTable[] {
  return grids(lines).flatMap((grid) => {
    const isOurs = grid.head[0] === 'Stage' && grid.head[1] === 'Time/step (us)';
    return isOurs ? report(lines, grid) : [];
  });
}

function report(lines: readonly string[], grid: Grid): readonly CostTable[] {
  const cell = (row: readonly string[] | undefined, column: string): number | undefined =>
    numberIn(row?.[grid.head.indexOf(column)]);
  const total = grid.rows.find(([name]) => name === 'TOTAL');
  const whole = cell(total, 'Time/step (us)');
  const note = noteBelow(lines, grid.last);
  const [, frames, steps, perFrame] = FRAMES.exec(note.text) ?? [];
  const stepsPerS = cell(total, 'Throughput (iters/s)');
  const realTimeFactor = cell(total, 'Throughput x realtime');
  const hasTitle = /^\s*PERFORMANCE PROFILE\s*$/.test(lines[grid.first - 1] ?? '');
  return [
    {
      kind: 'flygym-perf',
      title: 'FlyGym: physics and rendering',
      lines: { from: grid.first + (hasTitle ? 0 : 1), to: grid.last + note.lines + 1 },
      rows: grid.rows
        .filter((row) => row !== total)
        .map((row) => {
          const share = cell(row, 'Percent (%)');
          const perStepUs = cell(row, 'Time/step (us)');
          const isRendering = row[0] === 'Rendering*';
          return {
            name: row[0] ?? '',
            path: [],
            role: 'step',
            ...(isRendering && frames !== undefined
              ? { calls: Number(frames), meanUs: Number(perFrame) }
              : {}),
            ...(perStepUs === undefined ? {} : { perStepUs }),
            ...(share === undefined ? {} : { share: share / 100 }),
            ...(isRendering ? RENDERING : PHYSICS),
          } satisfies CostRow;
        }),
      ...(steps === undefined ? {} : { steps: Number(steps) }),
      ...(realTimeFactor === undefined ? {} : { realTimeFactor }),
      ...(stepsPerS === undefined ? {} : { stepsPerS }),
      ...(whole === undefined ? {} : { wholeUs: whole }),
      findings: [
        NOT_THE_LOOP,
        ...(NONE.test(note.text) ? [NO_FRAMES] : []),
        ...parallel(cell(total, 'Throughput x realtime (parallelized)'), realTimeFactor),
      ],
    },
  ];
}

/** Up to the first blank line: the sentence again, without the ends of lines that were put into it. */
function noteBelow(lines: readonly string[], last: number): Note {
  const below: string[] = [];
  for (const line of lines.slice(last + 1, last + 1 + NOTE_LINES)) {
    if (line.trim() === '' || (below.length === 0 && !line.startsWith('* Note: '))) break;
    below.push(line.trim());
  }
  return { text: below.join(' '), lines: below.length };
}

const PHYSICS: Pick<CostRow, 'meaning' | 'lever'> = {
  meaning: 'a step of MuJoCo, with the actuator inputs that FlyGym sets before it',
  lever: '--mujoco-timing of its script says which phases; a larger timestep, fewer contacts',
};
const RENDERING: Pick<CostRow, 'meaning' | 'lever'> = {
  meaning: 'rendering of cameras, spread over all steps',
  lever: 'a lower output_fps or a higher playback_speed, smaller images, fewer cameras',
};

const NOT_THE_LOOP: Finding = {
  level: 'note',
  id: 'physics-and-rendering-only',
  what: 'The total is physics and rendering: controllers, observations and what else a loop does are in no row.',
  why: 'The loop is slower than this throughput by all of that.',
};

const NO_FRAMES: Finding = {
  level: 'note',
  id: 'no-frames-rendered',
  what: 'No frame was rendered: the total is physics alone.',
  why: 'A run that renders is slower.',
};

function parallel(together: number | undefined, factor: number | undefined): readonly Finding[] {
  if (together === undefined) return [];
  return [
    {
      level: 'note',
      id: 'worlds-together',
      what: `All worlds together run at ${String(together)} times real time${
        factor === undefined ? '' : `; each of them at ${String(factor)}`
      }.`,
      why: 'Time, throughput and real-time factor here are of a step that all worlds make at once.',
    },
  ];
}

export const FLYGYM_PERF: TableReader = { text: reports };
