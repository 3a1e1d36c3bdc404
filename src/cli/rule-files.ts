import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ProfilerError, errorCode } from '../model/index.js';
import { type RulePack, type RuleSet, builtInPacks, compileRules, parseRulePack } from '../rules/index.js';
import type { Io } from './io.js';

/**
 * The built-in packs with the user's own before them, compiled.
 * @throws ProfilerError for a pack that cannot be read or is not valid, with its line.
 */
export async function loadRules(io: Pick<Io, 'cwd'>, files: readonly string[] = []): Promise<RuleSet> {
  const own: RulePack[] = [];
  for (const file of files) own.push(await parseRulePack(await packText(io.cwd, file), file));
  return compileRules([...own, ...builtInPacks]);
}

const MOST_BYTES = 1_000_000;

/** Text of a file or a pipe, or undefined where it is too large; no more than the limit is read, since a device never ends. */
async function limitedText(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const facts = await file.stat();
    if (facts.size > MOST_BYTES) return undefined;
    const buffer = Buffer.alloc(MOST_BYTES + 1);
    let filled = 0;
    for (let read = -1; read !== 0 && filled < buffer.length; filled += read)
      read = (await file.read(buffer, filled, buffer.length - filled, null)).bytesRead;
    return filled > MOST_BYTES ? undefined : buffer.toString('utf8', 0, filled);
  } finally {
    await file.close();
  }
}

async function packText(cwd: string, file: string): Promise<string> {
  try {
    const text = await limitedText(resolve(cwd, file));
    if (text === undefined) throw tooLarge(file);
    return text;
  } catch (error) {
    if (error instanceof ProfilerError) throw error;
    const code = errorCode(error) ?? 'unknown error';
    throw new ProfilerError({
      id: 'cannot-read-rules',
      what: `The rule pack ${file} could not be read (${code}).`,
      why: code === 'ENOENT' ? 'There is no such file.' : 'It may be a folder, or not yours to read.',
      fix: 'profiler rules list',
    });
  }
}

function tooLarge(file: string): ProfilerError {
  return new ProfilerError(
    {
      id: 'bad-rules',
      what: `${file} is no rule pack: it is larger than ${MOST_BYTES / 1e6} MB.`,
      why: 'A rule takes about 500 bytes; this is another file.',
      fix: 'profiler rules list --json',
    },
    2,
  );
}
