import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ProfilerError, errorCode } from '../model/index.js';
import { cleanText } from '../report/index.js';
import type { Io } from './io.js';

/** Text of a file that the user named; `-` is standard input. Throws ProfilerError `cannot-read`. */
export async function inputText(io: Io, file: string): Promise<string> {
  if (file === '-') {
    const chunks: Uint8Array[] = [];
    for await (const chunk of io.stdin()) chunks.push(Uint8Array.from(chunk));
    return Buffer.concat(chunks).toString('utf8');
  }
  try {
    return await readFile(resolve(io.cwd, file), 'utf8');
  } catch (error) {
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
