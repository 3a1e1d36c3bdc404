import type { CostTable, TableRun } from '../../simulator/index.js';

/** What a recording says of the run that it is of. */
export interface RecordedRun {
  readonly pid: number;
  /** Inside its container, where that differs. */
  readonly nsPid?: number;
  readonly kernel: string;
  readonly python?: string;
  /** Releases of MuJoCo that native frames name. */
  readonly mujoco: readonly string[];
  /** Seconds sampled. */
  readonly wallS: number;
}

/** A field in which the tables and the recording differ, with both values. */
export interface Difference {
  readonly field: 'pid' | 'kernel' | 'python' | 'mujoco' | 'timestep' | 'wall';
  readonly table: string;
  readonly recording: string;
}

/** Seconds by which clocks of both may be off, with what the sampler needs to stop. */
const WALL_SLACK_S = 1;

/**
 * Where tables and recording cannot be of the same run, on the same machine, over the same time. Only what both of them say is compared;
 * `timestepS` is what the user gave.
 */
export function differences(
  tables: readonly CostTable[],
  recorded: RecordedRun,
  { runS, timestepS }: { readonly runS?: number; readonly timestepS?: number },
): readonly Difference[] {
  const run = runOf(tables);
  const differ = (
    field: Difference['field'],
    table: string | number | undefined,
    others: readonly (string | number | undefined)[],
    isSame: (a: string, b: string) => boolean = (a, b) => a === b,
  ): readonly Difference[] => {
    const known = others.filter((other) => other !== undefined).map(String);
    if (table === undefined || known.length === 0 || known.some((one) => isSame(String(table), one)))
      return [];
    return [{ field, table: String(table), recording: known.join(' or ') }];
  };
  return [
    ...differ('pid', run.pid, [recorded.pid, recorded.nsPid]),
    ...differ('kernel', run.kernel, [recorded.kernel]),
    ...differ('python', run.python, [recorded.python], isSameVersion),
    ...differ('mujoco', run.mujoco, recorded.mujoco, isSameVersion),
    ...differ('timestep', run.timestepS, [timestepS]),
    ...(runS !== undefined && recorded.wallS > runS + WALL_SLACK_S
      ? [
          {
            field: 'wall',
            table: `${runS.toFixed(1)} s of the whole loop`,
            recording: `${recorded.wallS.toFixed(1)} s of it sampled`,
          } as const,
        ]
      : []),
  ];
}

/** All that tables say of their run; where a log has several runs, of the last. */
export function runOf(tables: readonly CostTable[]): TableRun {
  return tables.reduce<TableRun>((all, { run }) => ({ ...all, ...run }), {});
}

/** Whether one of two versions is the other, or the beginning of it: 3.11 and 3.11.7. */
function isSameVersion(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}
