import type { Finding } from '../model/index.js';
import { documentOf } from './json-text.js';
import { BEFORE_FIRST } from './raccoon-gaps.js';
import { missionName } from './raccoon-mission-name.js';
import { tenths } from './raccoon-runs.js';
import { raccoonTables } from './raccoon-trace.js';
import { isRaccoon, raccoonTrace } from './raccoon-trace-events.js';
import type { LagSample, RaccoonTrace } from './raccoon-trace-events.js';
import type { CostRow, CostTable } from './table.js';
import { traceEvents } from './trace-events.js';

export interface MissionFile {
  /** Its file name: `STEM.MISSION.json`, `STEM.MISSION-2.json` for the second of a name. */
  readonly name: string;
  readonly text: string;
}

interface Mission {
  readonly name: string;
  readonly trace: RaccoonTrace;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly endUs: number;
}

/** Tables of the missions of one run, each with a trace of its own, as one trace: in the order of their names. */
export function missionTables(files: readonly MissionFile[]): readonly CostTable[] {
  const findings: Finding[] = [];
  const missions = inOrder(files).flatMap((file): Mission[] => {
    const read = documentOf(file.text);
    const events = traceEvents(read?.document);
    if (events === undefined || !isRaccoon(events)) {
      findings.push(noTrace(file.name));
      return [];
    }
    if (read?.finding !== undefined)
      findings.push({ ...read.finding, what: `${file.name}: ${read.finding.what}` });
    return [missionOf(file.name, raccoonTrace(events))];
  });
  if (missions.length === 0) return [];
  const [first, ...tables] = raccoonTables(merged(missions));
  if (first === undefined) return [];
  const wholeUs = tenths(missions.reduce((sum, { endUs }) => sum + endUs, 0));
  return [
    {
      kind: 'raccoon-trace',
      title: 'raccoon: missions',
      lines: { from: 1, to: 1 },
      rows: missions.flatMap((mission) => missionRows(mission, wholeUs)),
      ...(wholeUs > 0 ? { wholeUs } : {}),
      findings: [...findings, ...(missions.length > 1 ? [NO_COMMON_CLOCK] : [])],
    },
    first,
    ...tables.map((table): CostTable =>
      table.late === undefined ? table : { ...table, late: { ...table.late, clocks: missions.length } },
    ),
  ];
}

const NO_COMMON_CLOCK: Finding = {
  level: 'note',
  id: 'missions-without-common-clock',
  what: 'Gaps between missions are only what their profilers saw: after the last step of one, before the first step of the next.',
  why: 'Each trace begins at 0 when its profiler starts, so what passes between two of them is in none; and their order is that of their names.',
};

function noTrace(name: string): Finding {
  return {
    level: 'warning',
    id: 'no-mission-trace',
    what: `${name} is no trace of raccoon's StepProfiler.`,
    why: 'It is left out.',
  };
}

function inOrder(files: readonly MissionFile[]): readonly MissionFile[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const parts = ({ name }: MissionFile): { readonly mission: string; readonly turn: number } => {
    const [, mission = '', turn = '1'] = /^(.*?)(?:-(\d+))?$/.exec(missionName(name)) ?? [];
    return { mission, turn: Number(turn) };
  };
  return files.toSorted((a, b) => {
    const [one, other] = [parts(a), parts(b)];
    return compare(one.mission, other.mission) || one.turn - other.turn;
  });
}

function missionOf(path: string, trace: RaccoonTrace): Mission {
  const leaves = trace.steps.filter(({ isComposite, startUs, endUs }) => !isComposite && endUs > startUs);
  const lastUs = leaves.reduce((last, { endUs }) => Math.max(last, endUs), 0);
  return {
    name: missionName(path),
    trace,
    firstUs: leaves.reduce((first, { startUs }) => Math.min(first, startUs), Number.POSITIVE_INFINITY),
    lastUs,
    endUs: [...trace.steps.map(({ endUs }) => endUs), ...trace.lag.map(({ atUs }) => atUs)].reduce(
      (end, us) => Math.max(end, us),
      0,
    ),
  };
}

function missionRows({ name, trace, firstUs, lastUs, endUs }: Mission, wholeUs: number): readonly CostRow[] {
  const share = (us: number): { readonly share?: number } => (wholeUs > 0 ? { share: us / wholeUs } : {});
  const part = (title: string, us: number): readonly CostRow[] =>
    Number.isFinite(us) && us > 0
      ? [{ name: title, path: [name], role: 'part', totalUs: tenths(us), ...share(us) }]
      : [];
  const steps = trace.steps.filter(({ isComposite }) => !isComposite).length;
  return [
    { name, path: [], role: 'part', calls: steps, totalUs: tenths(endUs), ...share(endUs) },
    ...part(BEFORE_FIRST, firstUs),
    ...part('(after the last step)', Number.isFinite(firstUs) ? endUs - lastUs : 0),
  ];
}

/** One behind the other. Each mission has tasks of its own: number 0 is the main one of each. */
function merged(missions: readonly Mission[]): RaccoonTrace {
  const tasks = new Map<number, string>();
  const steps: RaccoonTrace['steps'][number][] = [];
  const lag: LagSample[] = [];
  const spikes: LagSample[] = [];
  let [unreadable, afterUs, firstTask] = [0, 0, 0];
  for (const { name, trace, endUs } of missions) {
    const [shiftUs, shiftTask] = [afterUs, firstTask];
    const later = <Timed extends { readonly startUs: number; readonly endUs: number }>(
      timed: Timed,
    ): Timed => ({
      ...timed,
      startUs: timed.startUs + shiftUs,
      endUs: timed.endUs + shiftUs,
    });
    for (const step of trace.steps)
      steps.push({ ...later(step), task: step.task + shiftTask, phases: step.phases.map(later) });
    for (const sample of trace.lag) lag.push({ ...sample, atUs: sample.atUs + shiftUs });
    for (const spike of trace.spikes) spikes.push({ ...spike, atUs: spike.atUs + shiftUs });
    for (const [task, title] of trace.tasks) tasks.set(task + shiftTask, `${name}: ${title}`);
    unreadable += trace.unreadable;
    afterUs += endUs;
    firstTask += trace.steps.reduce((most, { task }) => Math.max(most, task), 0) + 1;
  }
  return { steps, tasks, lag, spikes, unreadable };
}
