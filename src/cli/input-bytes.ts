import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ProfilerError, errorCode, shellLine } from '../model/index.js';
import { isSqlite } from '../simulator/index.js';
import type { Io } from './io.js';

/** All of it is held in memory: a gigabyte and more where it is one JSON document of this size. */
export const MOST_BYTES = 300e6;

/**
 * All of a file that the user named, or of standard input (`-`). Throws ProfilerError `cannot-read`, `too-large`, `stdin-is-terminal`.
 */
export async function inputBytes(io: Io, file: string): Promise<Uint8Array> {
  return file === '-' ? standardInput(io) : bytesOf(io, file);
}

/** The same as text. */
export async function inputText(io: Io, file: string): Promise<string> {
  return textOf(await inputBytes(io, file));
}

export function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
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

/** Throws ProfilerError `cannot-read` where there is no such file. */
export async function mustBeThere(io: Io, file: string): Promise<void> {
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

/** A file, as a sentence begins with it. */
export function named(file: string): string {
  return file === '-' ? 'Standard input' : file;
}

/** @param head its first bytes, where they are known. */
export function tooLarge(file: string, head?: Uint8Array): ProfilerError {
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
