import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { ProfilerError, errorCode } from '../model/index.js';
import { cleanText } from '../report/index.js';
import type { Io } from './io.js';

/** No log of a simulator is longer; a device has no end. */
const MOST_BYTES = 300e6;

async function gathered(chunks: AsyncIterable<Uint8Array>, file: string): Promise<string> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES)
      throw new ProfilerError({
        id: 'input-too-large',
        what: `${file === '-' ? 'Standard input' : cleanText(file)} holds more than ${MOST_BYTES / 1e6} MB.`,
        why: 'That is more than a simulator prints; a device never ends.',
        fix: `tail -n 100000 ${cleanText(file === '-' ? 'FILE' : file)} | profiler rtf --log -`,
      });
    kept.push(Uint8Array.from(chunk));
  }
  return Buffer.concat(kept).toString('utf8');
}

/** Text of a file that the user named; `-` is standard input. Throws ProfilerError `cannot-read`, `input-too-large`. */
export async function inputText(io: Io, file: string): Promise<string> {
  if (file === '-') {
    return gathered(io.stdin(), file);
  }
  try {
    return await gathered(createReadStream(resolve(io.cwd, file)), file);
  } catch (error) {
    if (error instanceof ProfilerError) throw error;
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw new ProfilerError({
      id: 'cannot-read',
      what: `${cleanText(file)} could not be read (${code}).`,
      why: code === 'ENOENT' ? 'There is no such file.' : 'The system refused to read it.',
      fix: `ls -l ${cleanText(file)}`,
    });
  }
}
