import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ProfilerError, errorCode, errorReason, shellLine } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import { type SourcedTable, cleanText } from '../report/index.js';
import { isNsysReport, isSqlite, missionRuns, readNsysSqlite, readTables } from '../simulator/index.js';
import { MOST_BYTES, inputBytes, mustBeThere, named, textOf, tooLarge } from './input-bytes.js';
import type { Io } from './io.js';
import { printedTables } from './printed-tables.js';

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
  const bytes = unpacked(await inputBytes(io, file), file);
  if (isSqlite(bytes)) return { kind: 'tables', tables: await readNsysSqlite(bytes) };
  if (bytes.subarray(0, HEAD_BYTES).includes(0)) throw binary(file);
  return { kind: 'text', text: textOf(bytes) };
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
