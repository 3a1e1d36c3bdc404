import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Longer, and no string can hold it: three hours of 1000 lines a second. */
const MOST_BYTES = 400e6;

/** Path of a file of a recording that has a line for each event. Rejects where it is gone, no file, or too large. */
export async function stampFile(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  const facts = await stat(path);
  // To open a pipe waits for a writer, for ever.
  if (!facts.isFile()) throw new RangeError(`${name} is no regular file`);
  if (facts.size > MOST_BYTES) throw new RangeError(`${name} has ${facts.size} bytes`);
  return path;
}

/** Its text. */
export async function readStampFile(folder: string, name: string): Promise<string> {
  return readFile(await stampFile(folder, name), 'utf8');
}
