/**
 * The two tables of `roqsim sim --profile`: mean time of every hook that a plugin overrides (at exit), and what start-up took (after setup).
 * As its engine and runner print them: docs/profiling.rst of roqsim and `Engine.timing_report`, `Engine.load_report`.
 */
import type { Finding } from '../model/index.js';
import { rowsAfter } from './log-lines.js';
import type { CostRow, CostTable, TableReader } from './table.js';

const HOOKS_HEAD = /^per-plugin hook timing \(avg (?:\u00B5|\u03BC|u)s\/call\):$/;
const LOAD_HEAD = /^load-phase timing \(totals, ms\):$/;
const BUILD_HEAD = /^per-plugin build\/configure \(count \/ total ms \/ max ms\):$/;

/** Names may hold blanks, and longer ones push the columns: read from the right. */
const HOOK_ROW =
  /^ {2}(\S.*?) +(build|configure|on_reset|pre_step|post_step|shutdown) +(\d+\.\d+) (?:\u00B5|\u03BC|u)s$/;
const LOAD_ROW = /^ {2}(\S.*?) +(\d+\.\d+)$/;
const BUILD_ROW = /^ {2}(\S.*?) +(build|configure) +(\d+) +(\d+\.\d+) +(\d+\.\d+)$/;

/** Hooks that run with every simulation step; the others run once, or at a reset. */
const STEP_HOOKS: ReadonlySet<string> = new Set(['pre_step', 'post_step']);

interface Said {
  readonly meaning: string;
  readonly lever?: string;
}

const HOOK_MEANING: Readonly<Record<string, Said>> = {
  pre_step: { meaning: 'before every simulation step: commands, controllers' },
  post_step: { meaning: 'after every simulation step: sensors, publishing' },
  build: { meaning: 'once for each instance, before the world is compiled' },
  configure: { meaning: 'once for each instance, after the world is compiled' },
  on_reset: { meaning: 'at each reset' },
  shutdown: { meaning: 'once, at the end' },
};

const LOAD_MEANING: Readonly<Record<string, Said>> = {
  resolve_plugins: {
    meaning: 'entry points, plugin classes and the validation of every plugin; before setup',
    lever: 'validations that look for models are in here: cache what they look up',
  },
  world_load: { meaning: 'finding the base world and parsing it' },
  dedup_assets: {
    meaning: 'merging meshes and materials that came in many times',
    lever: 'it buys a shorter compile: compare both with sim.dedup_assets: false',
  },
  compile: {
    meaning: 'MjSpec.compile(), with all meshes and textures',
    lever: 'keep sim.dedup_assets on; smaller meshes and textures',
  },
  make_data: { meaning: 'MjData of the compiled model' },
  setup_total: { meaning: 'all of setup: every other row but resolve_plugins' },
};

function isTableHead(line: string): boolean {
  return HOOKS_HEAD.test(line) || LOAD_HEAD.test(line);
}

/** Both tables wherever they stand in a log, each run by itself. `lines` are bare (`bareLine`). */
function roqsimTables(lines: readonly string[]): readonly CostTable[] {
  return lines.flatMap((line, at) => {
    if (HOOKS_HEAD.test(line)) return hooks(lines, at, isTableHead);
    return LOAD_HEAD.test(line) ? load(lines, at, isTableHead) : [];
  });
}

function hooks(lines: readonly string[], at: number, isHead: (line: string) => boolean): CostTable[] {
  const { rows, last } = rowsAfter(lines, at, hookRow, isHead);
  if (rows.length === 0) return [];
  const wholeUs = sum(rows.map(({ perStepUs }) => perStepUs));
  return [
    {
      kind: 'roqsim-hooks',
      title: 'roqsim: hooks of plugins',
      lines: { from: at + 1, to: last + 1 },
      rows: rows.map((row) =>
        row.perStepUs === undefined || !(wholeUs > 0) ? row : { ...row, share: row.perStepUs / wholeUs },
      ),
      ...(rows.some(({ perStepUs }) => perStepUs !== undefined) ? { wholeUs } : {}),
      findings: [NO_STEP, AMORTISED],
    },
  ];
}

function hookRow(line: string): CostRow | undefined {
  const [, name, hook, mean] = HOOK_ROW.exec(line) ?? [];
  if (name === undefined || hook === undefined) return undefined;
  const meanUs = Number(mean);
  const isStep = STEP_HOOKS.has(hook);
  return {
    name,
    path: [],
    role: isStep ? 'step' : 'once',
    of: hook,
    meanUs,
    // Both hooks are called with every step, also by plugins that then do nothing.
    ...(isStep ? { perStepUs: meanUs } : {}),
    ...HOOK_MEANING[hook],
  };
}

const NO_STEP: Finding = {
  level: 'note',
  id: 'physics-not-in-table',
  what: 'mj_step is not in this table: it is no hook of a plugin.',
  why: 'What physics takes is the difference of two runs of different length, or what a sampler sees.',
  fix: 'profiler rtf --runs SIM:WALL,SIM:WALL',
};

const AMORTISED: Finding = {
  level: 'note',
  id: 'hooks-amortised',
  what: 'Means are over all calls, also those of a hook that does its work only now and then.',
  why: 'A lidar that casts its rays at every 50th step shows a fiftieth of what that one step takes: single steps may overrun where the mean looks small.',
};

function load(lines: readonly string[], at: number, isHead: (line: string) => boolean): CostTable[] {
  const phases = rowsAfter(lines, at, loadRow, (line) => isHead(line) || BUILD_HEAD.test(line));
  const second = lines.findIndex((line, place) => place > phases.last && BUILD_HEAD.test(line));
  const next = lines.findIndex((line, place) => place > at && isHead(line));
  const hasPlugins = second >= 0 && (next < 0 || second < next);
  const plugins = hasPlugins ? rowsAfter(lines, second, buildRow, isHead) : undefined;
  if (phases.rows.length === 0) return [];
  const { named, wholeUs, restUs } = added(phases.rows, plugins?.rows ?? []);
  const all = [...named, ...(plugins?.rows ?? [])];
  return [
    {
      kind: 'roqsim-load',
      title: 'roqsim: start-up',
      lines: { from: at + 1, to: (plugins?.last ?? phases.last) + 1 },
      rows: all.map((row) =>
        wholeUs === undefined || row.totalUs === undefined ? row : { ...row, share: row.totalUs / wholeUs },
      ),
      ...(wholeUs === undefined ? {} : { wholeUs }),
      ...(restUs === undefined ? {} : { restUs }),
      findings: plugins !== undefined && plugins.rows.some(({ calls = 0 }) => calls > 1) ? [SHARED_ROWS] : [],
    },
  ];
}

const SHARED_ROWS: Finding = {
  level: 'note',
  id: 'instances-share-rows',
  what: 'Instances without a name of their own share the row of their class; its count is how many there are.',
  why: 'The slowest single call is the last column: give instances a name: to see them apart.',
};

function loadRow(line: string): CostRow | undefined {
  const [, name, ms] = LOAD_ROW.exec(line) ?? [];
  if (name === undefined) return undefined;
  return {
    name,
    path: name === 'setup_total' || name === 'resolve_plugins' ? [] : ['setup_total'],
    role: 'once',
    totalUs: Number(ms) * 1000,
    ...LOAD_MEANING[name],
  };
}

function buildRow(line: string): CostRow | undefined {
  const [, name, hook, calls, total, max] = BUILD_ROW.exec(line) ?? [];
  if (name === undefined || hook === undefined) return undefined;
  return {
    name,
    path: ['setup_total'],
    role: 'once',
    of: hook,
    calls: Number(calls),
    totalUs: Number(total) * 1000,
    meanUs: (Number(total) * 1000) / Number(calls),
    maxUs: Number(max) * 1000,
    ...HOOK_MEANING[hook],
  };
}

/** `setup_total` holds every row but `resolve_plugins`; the two together are the load, and what no row accounts for is the rest. */
function added(
  phases: readonly CostRow[],
  plugins: readonly CostRow[],
): { readonly named: readonly CostRow[]; readonly wholeUs?: number; readonly restUs?: number } {
  const setup = phases.find(({ name }) => name === 'setup_total')?.totalUs;
  if (setup === undefined) return { named: phases };
  const resolve = phases.find(({ name }) => name === 'resolve_plugins')?.totalUs ?? 0;
  const parts = [...phases, ...plugins].filter(({ path }) => path.length > 0);
  return {
    named: phases,
    wholeUs: setup + resolve,
    restUs: setup - sum(parts.map(({ totalUs }) => totalUs)),
  };
}

function sum(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

export const ROQSIM: TableReader = { text: roqsimTables };
