import { mkdir, readdir, stat } from 'node:fs/promises';
import os from 'node:os';
import { basename, join } from 'node:path';
import { createReadStream } from 'node:fs';
import { readProfile } from '../formats/index.js';
import { type Finding, type Profile, ProfilerError, shellLine } from '../model/index.js';
import { type Recording, RECORDING_SCHEMA, writeRecording } from '../recording/index.js';
import { cleanText } from '../report/index.js';
import { childrenOf, findZeroX, type Program, type ProgramEnd, type ZeroX } from '../target/index.js';
import type { Io } from './io.js';
import type { Moment } from './moment.js';
import { newFolder, type PlaceFlags } from './recording-place.js';
import { programName } from './program-name.js';
import { runProgram } from './run-program.js';
import type { PassedSignals } from './run-signals.js';
import { ownVersion } from './version.js';

/** V8's own timer under --prof. */
const V8_PROF_HZ = 1000;
/** Where 0x works, in the recording; its results lie in RESULT below it. */
const WORK = '0x';
const RESULT = 'out';
const PAGE = 'flamegraph.html';
/** What 0x calls the raw logs of V8, and removes from the folder that it is started in. */
const RAW_LOG = /isolate-0x[\da-f]{2,12}(?:-\d+)?(?:-\d+)?-v8\.log/i;
const READY_LOG = /^isolate-?(?:0x)?[\da-f]{1,16}-.*v8\.log\.json$/i;

export interface ZeroXRun {
  readonly folder: string;
  readonly recording: Recording;
  readonly end: ProgramEnd;
}

/**
 * Has 0x start a Node program, waits until that has ended and 0x has drawn its page, and makes a recording of what it left. A signal goes to
 * 0x, which ends the program and draws all the same. Throws `ProfilerError`: `0x-missing`, `0x-not-node`, `0x-would-remove`, `0x-no-log`.
 */
export async function runZeroX(
  io: Io,
  command: readonly string[],
  flags: PlaceFlags,
  signals: PassedSignals,
): Promise<ZeroXRun> {
  if (!/^node(?:js)?$/.test(basename(command[0] ?? ''))) throw notNode(command);
  const zeroX = await findZeroX(io.env);
  await refuseLogs(io.cwd);
  const folder = await newFolder(io, flags, programName(command).replace(/\.[cm]?js$/, ''));
  const work = join(folder, WORK);
  await mkdir(join(work, RESULT), { recursive: true, mode: 0o700 });
  const argv = [...zeroX.argv, '--quiet', '--working-dir', work, '-D', RESULT, '--', ...command];
  // 0x ends well whatever its program did, and only says how that ended.
  let code: number | undefined;
  const ended: Moment = {
    kind: 'output',
    text: '',
    holds: (line) => {
      const said = /^Target subprocess error, code: (\d{1,3})$/.exec(line)?.[1];
      if (said !== undefined) code = Number(said);
      return said !== undefined;
    },
  };
  const running = await runProgram(io, argv, [ended]);
  signals.to({ signal: (signal) => signalBoth(running.program, signal) });
  const own = await running.program.ended;
  await running.passedOn;
  const recording = await recordingOf(folder, { zeroX, argv, command, startedNs: running.startedNs });
  await writeRecording(folder, recording);
  return { folder, recording, end: code === undefined ? own : { ...own, code } };
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

interface Ran {
  readonly zeroX: ZeroX;
  readonly argv: readonly string[];
  readonly command: readonly string[];
  readonly startedNs: bigint;
}

async function recordingOf(folder: string, { zeroX, argv, command, startedNs }: Ran): Promise<Recording> {
  const result = join(folder, WORK, RESULT);
  const log = (await readdir(result)).toSorted().find((name) => READY_LOG.test(name));
  if (log === undefined) throw noLog(folder);
  const file = `${WORK}/${RESULT}/${log}`;
  const path = join(folder, file);
  const profile = await readProfile(createReadStream(path), { path }, { format: 'v8-log' });
  const pid = Number(/-(\d+)-v8\.log/.exec(log)?.[1] ?? 0);
  return {
    schema: RECORDING_SCHEMA,
    version: ownVersion(),
    createdAt: new Date().toISOString(),
    target: { pid, startTicks: 0, command, runtime: 'node', uid: process.getuid?.() ?? 0 },
    backend: '0x',
    backendVersion: zeroX.version,
    route: 'direct',
    commands: [argv],
    rateHz: V8_PROF_HZ,
    requestedS: Number(lengthNs(profile)) / 1e9,
    policy: 'unknown',
    native: false,
    slices: [
      {
        file,
        format: 'v8-log',
        startNs: String(startedNs),
        endNs: String(startedNs + lengthNs(profile)),
        samples: profile.samples.length,
        exit: 0,
        accounting: [],
      },
    ],
    loopRates: [],
    sources: {},
    machine: { cpus: os.cpus().length, kernel: os.release() },
    ended: 'complete',
    findings: [wholeRun(), ...(await pageFinding(join(result, PAGE)))],
  };
}

/** Up to the last sample: after it 0x draws. */
function lengthNs({ samples }: Profile): bigint {
  const { timeNs, length, weight } = samples;
  if (timeNs === undefined || length === 0)
    return BigInt(Math.round(weight.reduce((sum, one) => sum + one, 0)));
  return BigInt(Math.round((timeNs[length - 1] ?? 0) + (weight[length - 1] ?? 0)));
}

function noLog(folder: string): ProfilerError {
  return new ProfilerError({
    id: '0x-no-log',
    what: `0x left no log that can be read in ${folder}/${WORK}.`,
    why: 'The program did not start, or 0x was killed or ran out of memory; what V8 wrote until then is there as isolate-*-v8.log.',
    fix: 'node --prof-process --preprocess ISOLATE-LOG > FILE.json && profiler hot FILE.json',
  });
}

function wholeRun(): Finding {
  return {
    level: 'note',
    id: '0x-whole-run',
    what: '0x samples a program from its start to its end: loading and what comes after the loop are in the answer.',
    why: 'There is no accounting of the kernel beside it, so shares are of samples alone.',
    fix: 'profiler run -- node …  (the loop alone, through the inspector)',
  };
}

async function pageFinding(path: string): Promise<readonly Finding[]> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > 0)
    return [
      {
        level: 'note',
        id: '0x-page',
        what: `The flame graph page of 0x is ${path}.`,
        why: 'Any browser opens it from disk.',
      },
    ];
  return [
    {
      level: 'warning',
      id: '0x-page-missing',
      what: '0x drew no page.',
      why: 'It was killed, or ran out of memory; its log is whole.',
      fix: 'profiler export --to 0x -o flamegraph.html',
    },
  ];
}
