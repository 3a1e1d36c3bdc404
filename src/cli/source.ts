import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { readProfile } from '../formats/index.js';
import { type Finding, ProfilerError, errorCode, shellLine } from '../model/index.js';
import type { Profile, ProgramSpan } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import type { SourceRef } from '../report/index.js';
import { type PhysicsThread, type RuleSet, withNativeLeaves } from '../rules/index.js';
import type { Io } from './io.js';

/** Finding of an interval of a recording: what the kernel charged is not known of it. */
export const INTERVAL_SAMPLES = 'interval-samples';

/** A part of a source's window. */
export interface Interval {
  /** Seconds since the window began. */
  readonly fromS: number;
  readonly toS: number;
  /** As the whole window tells it. */
  readonly physics: PhysicsThread;
}

/** A source, read: a bare profile file has a profile and nothing else. */
export interface Loaded {
  readonly profile: Profile;
  readonly source: SourceRef;
  readonly recording?: Recording;
  /** Folder of the recording, as to type it from here. */
  readonly folder?: string;
  /** What the program measured of itself meanwhile, where it did. */
  readonly spans?: readonly ProgramSpan[];
  /** What of the window `profile` holds, where that was chosen; the recording is left out then. */
  readonly interval?: Interval;
  /** What was wrong with the source itself. */
  readonly findings: readonly Finding[];
}

/**
 * Reads what SOURCE names: a recording by folder or label, a profile file, `-` for standard input; left out, the newest
 * recording. Files are streamed. The rules say which line of Python a native stack of perf belongs to.
 * @throws ProfilerError for everything that cannot be read.
 */
export async function loadSource(
  io: Pick<Io, 'cwd' | 'stdin' | 'stdinIsTerminal'>,
  wanted: string | undefined,
  format: string | undefined,
  ruleSet: RuleSet,
): Promise<Loaded> {
  if (wanted === '-') return loadStdin(io, format);
  if (wanted === undefined) {
    const { findRecording } = await recordings();
    return loadRecording(io.cwd, (await findRecording(io.cwd)).path, ruleSet);
  }
  const path = resolve(io.cwd, wanted);
  const kind = await kindOf(path, wanted);
  if (kind === 'folder' && (await (await recordings()).isRecordingFolder(path)))
    return loadRecording(io.cwd, path, ruleSet);
  if ((kind === 'file' || kind === 'stream') && !path.endsWith('/recording.json')) {
    const chunks = kind === 'file' ? fileChunks(path) : createReadStream(path);
    return loadFile(chunks, wanted, format);
  }
  return loadRecording(io.cwd, (await findNamed(io.cwd, wanted, kind)).path, ruleSet);
}

/** Loaded where a recording is read: a bare file does without. */
function recordings(): Promise<typeof import('../recording/index.js')> {
  return import('../recording/index.js');
}

/** Reads a recording folder. */
async function loadRecording(cwd: string, path: string, ruleSet: RuleSet): Promise<Loaded> {
  const { readRecording } = await recordings();
  const { recording, profile: sampled, native, spans, findings } = await readRecording(path);
  const profile =
    native === undefined ? sampled : withNativeLeaves(sampled, native, ruleSet, recording.rateHz);
  const folder = pathFrom(cwd, path);
  const told = [...findings, ...(profile.findings ?? [])];
  return {
    profile,
    recording,
    folder,
    ...(spans === undefined ? {} : { spans }),
    findings: told,
    source: { path: folder, format: 'recording' },
  };
}

/** Shortest way to name a path from a folder. */
function pathFrom(cwd: string, path: string): string {
  const inner = relative(cwd, path);
  return inner === '' || inner.startsWith('..') || isAbsolute(inner) ? path : inner;
}

async function loadStdin(
  io: Pick<Io, 'stdin' | 'stdinIsTerminal'>,
  format: string | undefined,
): Promise<Loaded> {
  if (io.stdinIsTerminal) {
    throw new ProfilerError(
      {
        id: 'stdin-is-terminal',
        what: 'Standard input is a terminal, not a profile.',
        why: '- reads what another program writes.',
        fix: 'cat FILE | profiler hot -',
      },
      2,
    );
  }
  return loaded(await readProfile(io.stdin(), { path: '-' }, formatOption(format)), '-');
}

/** How much of a file is read at a time: what a processor's cache holds. */
const CHUNK_BYTES = 1 << 18;

/** Reads a file with one buffer that is filled again for each chunk. Nothing else happens meanwhile, so waiting in turn is fastest. */
function* fileChunks(path: string): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    const buffer = new Uint8Array(CHUNK_BYTES);
    for (;;) {
      const length = readSync(file, buffer, 0, buffer.length, null);
      if (length === 0) return;
      yield buffer.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

type Chunks = Parameters<typeof readProfile>[0];

async function loadFile(chunks: Chunks, named: string, format: string | undefined): Promise<Loaded> {
  try {
    return loaded(await readProfile(chunks, { path: named }, formatOption(format)), named);
  } catch (error) {
    throw unreadable(error, named);
  }
}

function formatOption(format: string | undefined): { readonly format?: string } {
  return format === undefined ? {} : { format };
}

function loaded(profile: Profile, path: string): Loaded {
  return { profile, source: { path, format: profile.origin.format }, findings: profile.findings ?? [] };
}

/** `stream`: a pipe or a device, which is not there all at once. */
type PathKind = 'file' | 'stream' | 'folder' | 'none';

async function kindOf(path: string, named: string): Promise<PathKind> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'stream';
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return 'none';
    throw unreadable(error, named);
  }
}

async function findNamed(cwd: string, wanted: string, kind: PathKind): Promise<{ readonly path: string }> {
  const { findRecording } = await recordings();
  try {
    return await findRecording(cwd, wanted);
  } catch (error) {
    const unknown = error instanceof ProfilerError && error.finding.id === 'recording-not-found';
    if (!unknown) throw error;
    if (kind === 'folder') {
      const ticks = await zeroXLog(resolve(cwd, wanted));
      if (ticks !== undefined) {
        throw new ProfilerError({
          id: 'not-a-recording',
          what: `${wanted} is an output folder of 0x, no recording: its samples are in ${ticks}.`,
          why: 'Only folders that profiler attach wrote can be read whole.',
          fix: shellLine(['profiler', 'hot', join(wanted, ticks)]),
        });
      }
      throw new ProfilerError({
        id: 'not-a-recording',
        what: `${wanted} is a folder, but no recording: it has no recording.json.`,
        why: 'Only folders that profiler attach wrote can be read whole.',
        fix: 'profiler recordings list',
      });
    }
    throw new ProfilerError({
      id: 'no-such-source',
      what: `There is no file and no recording called ${wanted}.`,
      why: error.finding.why,
      fix: 'profiler recordings list',
    });
  }
}

/** The file of an output folder of 0x that tells most: the log that V8 processed, else what 0x made of it. */
async function zeroXLog(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch((): string[] => []);
  return (
    names.toSorted().find((name) => /^isolate-?0x[\da-f]{1,16}-.*v8\.log\.json$/i.test(name)) ??
    names.find((name) => name === 'ticks.json')
  );
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'You are not allowed to read it.',
  EPERM: 'You are not allowed to read it.',
  EIO: 'The disk failed to read it.',
  EISDIR: 'It is a folder.',
};

function unreadable(error: unknown, named: string): unknown {
  const code = errorCode(error);
  if (error instanceof ProfilerError || code === undefined) return error;
  return new ProfilerError({
    id: 'cannot-read',
    what: `${named} could not be read (${code}).`,
    why: REASONS[code] ?? 'The system refused to read it.',
    fix: `ls -l ${named}`,
  });
}
