import type { CostRow } from '../../simulator/index.js';

/** Rows of one hook that one function of the samples runs; several instances of a class share theirs. */
export interface HookMatch {
  readonly rows: readonly CostRow[];
  /** Key of the function; absent: none goes by the name of the row. */
  readonly function?: string;
  /** Told by nothing but that one row and one function were left. */
  readonly isGuess?: true;
}

/** A function that was seen as a hook. */
export interface HookFunction {
  readonly key: string;
  /** `LidarPlugin.post_step`, or the bare name where the interpreter knows no classes. */
  readonly name: string;
  readonly file?: string;
}

/** Words of a name in any spelling: `FrontLidar`, `front_lidar`; what says nothing but that it is a plugin is left out. */
function wordsOf(name: string): readonly string[] {
  return (
    name
      .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z\d]+/g)
      ?.filter((word) => word !== 'plugin' && word !== 'base') ?? []
  );
}

/** The last part of a path without its ending. */
function stemOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
}

/** Words of its class and of its file. */
function callings({ name, file }: HookFunction): readonly (readonly string[])[] {
  const dot = name.lastIndexOf('.');
  return [dot < 0 ? '' : name.slice(0, dot), file === undefined ? '' : stemOf(file)]
    .map(wordsOf)
    .filter((words) => words.length > 0);
}

/**
 * How well a function fits the name of a row: a simulator calls its rows by what its configuration says, or by the class. 3: the same;
 * 2: the row's name holds that of the class or the file (`front_lidar` of lidar.py); 1: the other way round; 0: not at all.
 */
function fitOf(wanted: readonly string[], called: readonly (readonly string[])[]): number {
  if (wanted.length === 0) return 0;
  const best = (fits: (words: readonly string[]) => boolean): boolean => called.some(fits);
  if (best((words) => words.join('') === wanted.join(''))) return 3;
  if (best((words) => words.every((word) => wanted.includes(word)))) return 2;
  return best((words) => wanted.every((word) => words.includes(word))) ? 1 : 0;
}

/**
 * Which function runs which row: the one that fits its name best, if it is one alone; the last of the rows has the last of the functions.
 * Rows in the order given, those of one function together.
 */
export function matchHooks(
  rows: readonly CostRow[],
  functions: readonly HookFunction[],
): readonly HookMatch[] {
  const called = functions.map((one) => ({ key: one.key, words: callings(one) }));
  const chosen = new Map(rows.map((row) => [row, bestOf(row.name, called)]));
  const taken = new Set(chosen.values());
  const left = functions.filter(({ key }) => !taken.has(key));
  const open = rows.filter((row) => chosen.get(row) === undefined);
  const [lastRow, lastFunction] = [open[0], left[0]];
  const isGuess = open.length === 1 && left.length === 1;
  const keyOf = (row: CostRow): string | undefined =>
    isGuess && row === lastRow ? lastFunction?.key : chosen.get(row);
  const groups = new Map<string | CostRow, CostRow[]>();
  for (const row of rows) {
    const key = keyOf(row) ?? row;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups].map(([key, own]) => ({
    rows: own,
    ...(typeof key === 'string' ? { function: key } : {}),
    ...(isGuess && own[0] === lastRow ? { isGuess: true as const } : {}),
  }));
}

function bestOf(
  row: string,
  functions: readonly { readonly key: string; readonly words: readonly (readonly string[])[] }[],
): string | undefined {
  const wanted = wordsOf(row);
  let [most, best, isTied] = [0, undefined as string | undefined, false];
  for (const { key, words } of functions) {
    const fit = fitOf(wanted, words);
    if (fit === 0 || fit < most) continue;
    [isTied, most, best] = [fit === most, fit, key];
  }
  return isTied ? undefined : best;
}
