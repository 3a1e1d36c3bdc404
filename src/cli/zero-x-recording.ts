import { createReadStream } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { harmlessPage, readProfile } from '../formats/index.js';
import { type Finding, type Profile, ProfilerError, shellLine } from '../model/index.js';
import { type Recording, RECORDING_SCHEMA } from '../recording/index.js';
import { ownVersion } from './version.js';
import { writeWholeFile } from './whole-file.js';

/** V8's own timer under --prof. */
const V8_PROF_HZ = 1000;
/** Where 0x works, in the recording; its results lie in RESULT below it. */
export const WORK = '0x';
export const RESULT = 'out';
const PAGE = 'flamegraph.html';
const READY_LOG = /^isolate-?(?:0x)?[\da-f]{1,16}-.*v8\.log\.json$/i;

/** What 0x was started with, and what it ran. */
export interface ZeroXRan {
  readonly version: string;
  readonly argv: readonly string[];
  readonly command: readonly string[];
  readonly startedNs: bigint;
  /** Where it ran in a container that was made anew for it. */
  readonly container?: { readonly id: string; readonly name: string };
}

/** A recording of what 0x left in `folder`. Throws `ProfilerError` `0x-no-log`. */
export async function zeroXRecording(folder: string, ran: ZeroXRan): Promise<Recording> {
  const { version, argv, command, startedNs, ...place } = ran;
  const result = join(folder, WORK, RESULT);
  const log = (await readdir(result)).toSorted().find((name) => READY_LOG.test(name));
  if (log === undefined) throw noLog(folder);
  const file = `${WORK}/${RESULT}/${log}`;
  const path = join(folder, file);
  const profile = await readProfile(createReadStream(path), { path }, { format: 'v8-log' }).catch(
    (error: unknown) => {
      // 0x was ended while it read the log, which lies beside it.
      if (error instanceof ProfilerError) throw noLog(folder, path.replace(/\.json$/, ''));
      throw error;
    },
  );
  await makeHarmless(join(result, PAGE));
  const pid = Number(/-(\d+)-v8\.log/.exec(log)?.[1] ?? 0);
  return {
    schema: RECORDING_SCHEMA,
    version: ownVersion(),
    createdAt: new Date().toISOString(),
    target: {
      pid,
      startTicks: 0,
      command,
      runtime: 'node',
      uid: process.getuid?.() ?? 0,
      ...(place.container === undefined
        ? {}
        : { container: place.container.id.slice(0, 12), containerName: place.container.name }),
    },
    backend: '0x',
    backendVersion: version,
    route: place.container === undefined ? 'direct' : 'override',
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

/** `raw`: the log that V8 wrote, where it is known. */
function noLog(folder: string, raw?: string): ProfilerError {
  return new ProfilerError({
    id: '0x-no-log',
    what: `0x left no log that can be read in ${folder}/${WORK}.`,
    why:
      raw === undefined
        ? 'The program did not start, or 0x was killed or ran out of memory; what V8 wrote until then is there as isolate-*-v8.log.'
        : 'It was ended, or ran out of memory, while it read what V8 had written, which is whole.',
    fix: `node --prof-process --preprocess ${raw === undefined ? 'ISOLATE-LOG' : shellLine([raw])} > FILE.json && profiler hot FILE.json`,
  });
}

/** Names of the target stand in the page as they are; see `harmlessPage`. */
async function makeHarmless(path: string): Promise<void> {
  const page = await readFile(path, 'utf8').catch(() => undefined);
  if (page === undefined) return;
  // In a container it was written by another user, who alone may change it.
  await rm(path, { force: true });
  await writeWholeFile(path, [harmlessPage(page)]).catch(() => undefined);
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
