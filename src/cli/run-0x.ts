import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { zeroXText } from '../formats/index.js';
import { ProfilerError, shellLine } from '../model/index.js';
import { type Recording, writeRecording } from '../recording/index.js';
import { cleanText } from '../report/index.js';
import { childrenOf, findProgram, findZeroX, type Program, type ProgramEnd } from '../target/index.js';
import type { Io } from './io.js';
import { newFolder, type PlaceFlags } from './recording-place.js';
import { programName } from './program-name.js';
import { runProgram } from './run-program.js';
import type { PassedSignals } from './run-signals.js';
import { RESULT, WORK, zeroXRecording } from './zero-x-recording.js';

/** What 0x calls the raw logs of V8, and removes from the folder that it is started in. */
const RAW_LOG = /isolate-0x[\da-f]{2,12}(?:-\d+)?(?:-\d+)?-v8\.log/i;

/** Loaded into the program before its own code: keeps how it ends, which 0x does not pass on. The first of its processes is the program. */
const KEEP_EXIT = `
const { writeFileSync } = require('node:fs');
const file = __filename + '.code';
try {
  writeFileSync(file, '', { flag: 'wx' });
  process.on('exit', (code) => writeFileSync(file, String(code)));
} catch {}
`;
const ENDED_BY_SIGNAL = 1;

export interface ZeroXRun {
  readonly folder: string;
  readonly recording: Recording;
  readonly end: ProgramEnd;
}

/**
 * Has 0x start a Node program, waits until that has ended and 0x has drawn its page, and makes a recording of what it left. A signal goes to
 * 0x, which ends the program and draws all the same. Throws `ProfilerError`: `0x-missing`, `0x-not-node`, `0x-would-remove`, `0x-percent`,
 * `0x-no-log`, what `findProgram` throws.
 */
export async function runZeroX(
  io: Io,
  command: readonly string[],
  flags: PlaceFlags,
  signals: PassedSignals,
): Promise<ZeroXRun> {
  if (!/^node(?:js)?$/.test(basename(command[0] ?? ''))) throw notNode(command);
  findProgram(command[0] ?? '', io.env, io.cwd);
  const zeroX = await findZeroX(io.env);
  await refuseLogs(io.cwd);
  refusePercent(resolve(io.cwd, flags.output ?? flags.label ?? ''));
  const folder = await newFolder(io, flags, programName(command).replace(/\.[cm]?js$/, ''));
  const work = join(folder, WORK);
  await mkdir(join(work, RESULT), { recursive: true, mode: 0o700 });
  const keeper = join(work, 'keep-exit.cjs');
  await writeFile(keeper, KEEP_EXIT, { mode: 0o600 });
  const [node = 'node', ...rest] = command;
  const flagsOf0x = ['--quiet', '--title', zeroXText(command.join(' ')), '--working-dir', work, '-D', RESULT];
  const argv = [...zeroX.argv, ...flagsOf0x, '--', node, '-r', keeper, ...rest];
  const running = await runProgram(io, argv, []);
  signals.to({ signal: (signal) => signalBoth(running.program, signal) });
  const own = await running.program.ended;
  await running.passedOn;
  const code = await readFile(`${keeper}.code`, 'utf8').catch(() => undefined);
  if (code === '') io.err('profiler: the program was ended by a signal; 0x does not tell which.\n');
  const { version } = zeroX;
  const { startedNs } = running;
  const recording = await zeroXRecording(folder, { version, argv, command, startedNs });
  await writeRecording(folder, recording);
  if (code === undefined) return { folder, recording, end: own };
  return { folder, recording, end: { ...own, code: code === '' ? ENDED_BY_SIGNAL : Number(code) } };
}

/** 0x alone would wait for its program, which a terminal ends along with it. */
function signalBoth(program: Program, signal: NodeJS.Signals): void {
  program.signal(signal);
  for (const pid of childrenOf(program.pid)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
  }
}

function notNode(command: readonly string[]): ProfilerError {
  return new ProfilerError(
    {
      id: '0x-not-node',
      what: `0x starts node by itself, and ${cleanText(command[0] ?? 'nothing')} is another program.`,
      why: 'It has to give node flags of its own, and knows no launcher, shell or script around it.',
      fix: 'profiler run --0x -- node app.js',
    },
    2,
  );
}

/** V8 takes a % in the path of its log for a placeholder. */
function refusePercent(path: string): void {
  if (!path.includes('%')) return;
  throw new ProfilerError(
    {
      id: '0x-percent',
      what: `0x cannot write below ${cleanText(path)}: V8 takes the % in it for a placeholder.`,
      why: 'The log of V8 would not be found again.',
      fix: 'profiler run --0x -o /tmp/NEW_FOLDER -- node …',
    },
    2,
  );
}

/** 0x tidies up what looks like its own in the folder that it is started in. */
async function refuseLogs(cwd: string): Promise<void> {
  const log = (await readdir(cwd)).find((name) => RAW_LOG.test(name));
  if (log === undefined) return;
  throw new ProfilerError({
    id: '0x-would-remove',
    what: `There is a log of V8 in this folder, ${cleanText(log)}, which 0x would remove.`,
    why: '0x removes every isolate-*-v8.log of the folder that it is started in, whoever made it.',
    fix: shellLine(['mv', log, '/tmp/']),
  });
}
