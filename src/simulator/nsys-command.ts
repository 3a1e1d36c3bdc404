/** The command lines of NVIDIA Nsight Systems (`nsys`) as lists of arguments: what FlyGym's GPU script runs of itself, for any program. */
import { ProfilerError } from '../model/index.js';

/** Set for the program that nsys starts: a profiler within it leaves nsys alone. */
export const UNDER_NSYS = 'SIM_PROFILER_UNDER_NSYS';
/** FlyGym's own, so that a script with `--profile` does not start nsys once more. */
const FLYGYM_UNDER_NSYS = '_FLYGYM_NSYS_ACTIVE';
/** nsys adds it to what it is told to write. */
const EXTENSION = '.nsys-rep';
/** The same, and what it added before 2021.4. */
const REPORT = /\.(?:nsys-rep|qdrep)$/;

/** Whether a file is a report by its name: what is in it is known to nsys alone. */
export function isNsysReport(path: string): boolean {
  return REPORT.test(path);
}

export interface NsysProfileRequest {
  /** The program `nsys`. */
  readonly nsys: string;
  /**
   * As it was typed, or as the kernel holds it (`/proc/PID/cmdline`). Never put together from `sys.argv`: under `python -m module` its first
   * entry is the file of the module, which as a script finds neither its package nor the modules beside it.
   */
  readonly command: readonly string[];
  /** Where the report goes, with or without `.nsys-rep`. */
  readonly output: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface NsysProfilePlan {
  readonly argv: readonly string[];
  /** On top of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The file that nsys writes. */
  readonly report: string;
}

/** Undefined where nsys has started this already. Throws `ProfilerError`: `nsys-no-command`, `nsys-twice`, `nsys-output`. */
export function nsysProfile(request: NsysProfileRequest): NsysProfilePlan | undefined {
  const { nsys, command, env } = request;
  if (isSet(env[UNDER_NSYS]) || isSet(env[FLYGYM_UNDER_NSYS])) return undefined;
  const [program = ''] = command;
  if (program === '' || program.startsWith('-')) throw noCommand(program);
  if (/(?:^|[/\\])nsys$/.test(program)) throw twice();
  const output = outputOf(request.output);
  const traced = ['--trace=cuda,nvtx,osrt', '--cuda-graph-trace=node', '--force-overwrite=true'];
  return {
    argv: [nsys, 'profile', ...traced, '--output', output, ...command],
    env: { [UNDER_NSYS]: '1', [FLYGYM_UNDER_NSYS]: '1' },
    report: `${output}${EXTENSION}`,
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function outputOf(path: string): string {
  const bare = path.endsWith(EXTENSION) ? path.slice(0, -EXTENSION.length) : path;
  if (bare === '' || bare.endsWith('/') || bare.includes('%'))
    throw new ProfilerError(
      {
        id: 'nsys-output',
        what: `nsys cannot write to ${JSON.stringify(path)}.`,
        why: bare.includes('%') ? 'It takes a % in the path for a placeholder.' : 'It is no name of a file.',
        fix: '--output /tmp/gpu_profile',
      },
      2,
    );
  // A name that begins with a dash would be taken for an option.
  return bare.startsWith('-') ? `./${bare}` : bare;
}

function noCommand(program: string): ProfilerError {
  return new ProfilerError(
    {
      id: 'nsys-no-command',
      what: program === '' ? 'There is no command for nsys to run.' : `${program} is no program.`,
      why: 'nsys starts the simulation itself: it cannot attach to one that runs.',
      fix: 'profiler run --nsys -- python -m package.module',
    },
    2,
  );
}

function twice(): ProfilerError {
  return new ProfilerError(
    {
      id: 'nsys-twice',
      what: 'The command is nsys already.',
      why: 'nsys cannot profile itself.',
      fix: 'profiler run --nsys -- the command behind nsys profile and its options',
    },
    2,
  );
}

/** Reports that are read, by the name of 2023 and the one before. */
const REPORTS: readonly (readonly [name: string, old: string])[] = [
  ['cuda_gpu_kern_sum', 'gpukernsum'],
  ['cuda_gpu_mem_time_sum', 'gpumemtimesum'],
  ['cuda_gpu_mem_size_sum', 'gpumemsizesum'],
  ['cuda_api_sum', 'cudaapisum'],
  ['nvtx_sum', 'nvtxsum'],
  ['osrt_sum', 'osrtsum'],
];
const RENAMED_IN = 2023;

/** The year in what `nsys --version` prints: `NVIDIA Nsight Systems version 2024.1.1.59-241133802077v0`. */
export function nsysYear(versionText: string): number | undefined {
  const [, year] = /\bversion (20\d\d)\.\d/.exec(versionText) ?? [];
  return year === undefined ? undefined : Number(year);
}

/** Prints all reports that `readTables` knows as CSV. `year` is of nsys; without one its names are the new ones. */
export function nsysStats(nsys: string, report: string, year = RENAMED_IN): readonly string[] {
  const names = REPORTS.map(([name, old]) => (year < RENAMED_IN ? old : name));
  return [
    nsys,
    'stats',
    `--report=${names.join(',')}`,
    '--format=csv',
    '--output=-',
    '--force-export=true',
    report,
  ];
}

/** Writes the SQLite export: it has times, which statistics have not. Beside the report, unless `folder` is given. */
export function nsysExport(
  nsys: string,
  report: string,
  folder?: string,
): { readonly argv: readonly string[]; readonly file: string } {
  const bare = report.replace(REPORT, '');
  const file = `${folder === undefined ? bare : `${folder}/${bare.replace(/^.*[\\/]/, '')}`}.sqlite`;
  return {
    argv: [nsys, 'export', '--type=sqlite', '--force-overwrite=true', `--output=${file}`, report],
    file,
  };
}
