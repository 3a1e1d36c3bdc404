import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ProfilerError } from '../model/index.js';
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

async function packText(cwd: string, file: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new ProfilerError({
      id: 'cannot-read-rules',
      what: `The rule pack ${file} could not be read (${code}).`,
      why: code === 'ENOENT' ? 'There is no such file.' : 'It may be a folder, or not yours to read.',
      fix: 'profiler rules list',
    });
  }
}
