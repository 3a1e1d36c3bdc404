import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ProfilerError, errorCode, errorReason, shellLine } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import { type SourcedTable, cleanText } from '../report/index.js';
import { isNsysReport, isSqlite, missionRuns, readNsysSqlite, readTables } from '../simulator/index.js';
import type { Io } from './io.js';
import { printedTables } from './printed-tables.js';

/** All of it is held in memory: a gigabyte and more where it is one JSON document of this size. */
const MOST_BYTES = 300e6;
/** As far as one looks for what no text has. */
const HEAD_BYTES = 1 << 16;

/** A file, as it is to be read. */
type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tables'; readonly tables: readonly SourcedTable[] };

/**
 * Tables of files, each with the name of its own: logs, traces, databases and reports of nsys, recordings, `-` for standard input. Traces of
 * the missions of one run are read as one. Throws `ProfilerError` for what cannot be read; a file without tables has none.
 */
export async function tablesOfFiles(io: Io, files: readonly string[]): Promise<readonly SourcedTable[]> {
  const read: { readonly name: string; readonly content: Content }[] = [];
  for (const name of files) read.push({ name, content: await contentOf(io, name) });
  const texts = read.flatMap(({ name, content }) =>
    content.kind === 'text' ? [{ name, text: content.text }] : [],
  );
  const runs = missionRuns(texts);
  const inRun = new Set(runs.flatMap((run) => run.files.map(({ name }) => name)));
  return [
    ...runs.flatMap(({ name, tables }) => tables.map((table) => ({ ...table, source: name }))),
    ...read.flatMap(({ name, content }) => {
      if (inRun.has(name)) return [];
      const tables = content.kind === 'tables' ? content.tables : readTables(content.text);
      if (tables.length === 0 && files.length > 1)
        io.err(`profiler: ${cleanText(named(name))} holds no table that is known.\n`);
      return tables.map((table: SourcedTable) => ({
        ...table,
        source: table.source === undefined ? name : `${name}: ${table.source}`,
      }));
    }),
  ];
}

async function contentOf(io: Io, file: string): Promise<Content> {
  const recording = file === '-' ? undefined : await recordingAt(io, file);
  if (recording !== undefined) {
    const tables = printedTables(recording);
    if (tables.length === 0) throw nothingPrinted(file);
    return { kind: 'tables', tables };
  }
  if (isNsysReport(file) && file !== '-') {
    await mustBeThere(io, file);
    // Whoever reads a file need not load what starts programs.
    const { exportedReport } = await import('./nsys-export.js');
    return { kind: 'tables', tables: await readNsysSqlite(await exportedReport(io, file)) };
  }
  const bytes = unpacked(file === '-' ? await standardInput(io) : await bytesOf(io, file), file);
  if (isSqlite(bytes)) return { kind: 'tables', tables: await readNsysSqlite(bytes) };
  if (bytes.subarray(0, HEAD_BYTES).includes(0)) throw binary(file);
  return {
    kind: 'text',
    text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  };
}

/** A recording, by its folder, its manifest or its label. Undefined for anything else: a file of that name comes first. */
async function recordingAt(io: Io, wanted: string): Promise<Recording | undefined> {
  const isFile = await stat(resolve(io.cwd, wanted)).then(
    (found) => !found.isDirectory(),
    () => false,
  );
  if (isFile && !wanted.endsWith('recording.json')) return undefined;
  const { findRecording } = await import('../recording/index.js');
  try {
    return (await findRecording(io.cwd, wanted)).recording;
  } catch (error) {
    if (error instanceof ProfilerError && error.finding.id === 'recording-not-found') return undefined;
    throw error;
  }
}

async function standardInput(io: Io): Promise<Uint8Array> {
  if (!io.stdinIsTerminal) return gathered(io.stdin(), '-');
  throw new ProfilerError(
    {
      id: 'stdin-is-terminal',
      what: 'Standard input is a terminal, not a log.',
      why: '- reads what another program writes.',
      fix: 'roqsim sim WORLD --profile 2>&1 | profiler tables -',
    },
    2,
  );
}

async function bytesOf(io: Io, file: string): Promise<Uint8Array> {
  try {
    return await gathered(createReadStream(resolve(io.cwd, file)), file);
  } catch (error) {
    throw unreadable(error, file);
  }
}

async function mustBeThere(io: Io, file: string): Promise<void> {
  try {
    await stat(resolve(io.cwd, file));
  } catch (error) {
    throw unreadable(error, file);
  }
}

async function gathered(stream: AsyncIterable<Uint8Array>, file: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw tooLarge(file, chunks[0]);
    // Whoever writes to standard input may take its buffer again.
    chunks.push(file === '-' ? Uint8Array.from(chunk) : chunk);
  }
  return Buffer.concat(chunks, bytes);
}

/** A trace is often packed by gzip, whose first bytes tell. */
function unpacked(bytes: Uint8Array, file: string): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
  } catch (error) {
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(file);
    throw new ProfilerError({
      id: 'cannot-unpack',
      what: `${named(file)} is packed by gzip and cannot be unpacked (${errorReason(error)}).`,
      why: 'Most likely it was copied or written only in part.',
      fix: shellLine(['gunzip', '--test', file]),
    });
  }
}

function named(file: string): string {
  return file === '-' ? 'Standard input' : file;
}

function tooLarge(file: string, head?: Uint8Array): ProfilerError {
  const isDatabase = head !== undefined && isSqlite(head);
  return new ProfilerError({
    id: 'too-large',
    what: `${named(file)} holds more than ${MOST_BYTES / 1e6} MB.`,
    why: 'All of it is held in memory, since a table may begin anywhere.',
    fix: isDatabase
      ? `nsys stats --format=csv --output=- ${shellLine([file])} | profiler tables -`
      : `tail -n 100000 ${file === '-' ? 'LOG' : shellLine([file])} | profiler tables -`,
  });
}

function nothingPrinted(folder: string): ProfilerError {
  return new ProfilerError({
    id: 'no-printed-tables',
    what: `The recording ${folder} holds no table that its program printed.`,
    why: 'No log was named when it was made, or none of it was a table that is known.',
    fix: 'profiler attach --pid PID --log FILE',
  });
}

function binary(file: string): ProfilerError {
  return new ProfilerError({
    id: 'binary-file',
    what: `${named(file)} is neither a text nor a SQLite file.`,
    why: 'A report of nsys is known by its name, which ends in .nsys-rep or .qdrep.',
    fix: 'nsys export --type sqlite --output FILE.sqlite FILE.nsys-rep',
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file.',
  EISDIR: 'It is a folder.',
};

function unreadable(error: unknown, file: string): unknown {
  const code = errorCode(error);
  if (error instanceof ProfilerError || code === undefined) return error;
  return new ProfilerError({
    id: 'cannot-read',
    what: `${file} could not be read (${code}).`,
    why: REASONS[code] ?? 'The system refused to read it.',
    fix: shellLine(['ls', '-l', file]),
  });
}
