import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { ProfilerError } from '../../model/index.js';
import { namelessFile } from '../nameless-file.js';
import { askProgram } from './ask-program.js';
import type { Environment } from './folder.js';

/** A 0x that runs. */
export interface ZeroX {
  /** What it is started with, up to its own flags. */
  readonly argv: readonly [string, ...string[]];
  readonly version: string;
  /** Folder of packages that it and what it needs lie in; undefined where that is not known. */
  readonly modules?: string;
}

const INSTALL = 'npm install -g 0x@6.0.0';

/** The one that came with us: an optional dependency. */
function own(): ZeroX | undefined {
  try {
    const path = createRequire(import.meta.url).resolve('0x/package.json');
    const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string };
    return {
      argv: [process.execPath, join(dirname(path), 'cmd.js')],
      version,
      modules: dirname(dirname(path)),
    };
  } catch {
    return undefined;
  }
}

/** Named by PROFILER_0X, else our own, else from PATH. Throws `ProfilerError` `0x-missing`. */
export async function findZeroX(env: Environment): Promise<ZeroX> {
  const named = env['PROFILER_0X'] ?? '';
  const ours = named === '' ? own() : undefined;
  if (ours !== undefined) return ours;
  const program = named === '' ? '0x' : named;
  const run = await askProgram(program, ['--version'], env);
  const version = /^0x (\d\S*)$/m.exec(run.stdout)?.[1];
  if (run.exitCode === 0 && version !== undefined) return { argv: [program], version };
  throw new ProfilerError({
    id: '0x-missing',
    what: named === '' ? '0x was not found.' : `${named}, as named by PROFILER_0X, is no 0x that runs.`,
    why:
      named === ''
        ? 'It comes as an optional dependency of this tool, which was left out, and is not in PATH.'
        : run.timedOut
          ? 'It did not answer --version within 10 s.'
          : `Its --version ended with ${run.exitCode ?? run.code ?? run.signal ?? 'nothing'}.`,
    fix: INSTALL,
  });
}

/** Drawing a large profile takes a while. */
const PATIENCE_MS = 300_000;

/** The page that 0x draws of a profile (`zeroXProfile`), as HTML. Throws `ProfilerError` `0x-failed`. */
export async function drawZeroX({ argv }: ZeroX, profile: string, title: string): Promise<string> {
  const [program, ...first] = argv;
  const file = namelessFile();
  writeFileSync(file.fd, profile);
  const flags = ['--quiet', '--name', '-', '--title', title, '--visualize-cpu-profile', file.path];
  const run = await execa(program, [...first, ...flags], {
    stdin: 'ignore',
    reject: false,
    timeout: PATIENCE_MS,
    maxBuffer: 1 << 30,
    stripFinalNewline: false,
  }).finally(file.close);
  if (run.exitCode === 0 && run.stdout.includes('</html>')) return run.stdout;
  const said = /🚫 +(.*)/u.exec(run.stderr)?.[1] ?? run.stderr.trim().split('\n')[0] ?? '';
  throw new ProfilerError({
    id: '0x-failed',
    what: `0x drew no page: it ended with ${run.exitCode ?? run.signal ?? run.code ?? 'nothing'}${said === '' ? '' : ` and said: ${said.slice(0, 200)}`}.`,
    why: 'It draws every stack, and a very large profile is too much for it.',
    fix: 'profiler export --to folded -o FILE',
  });
}
