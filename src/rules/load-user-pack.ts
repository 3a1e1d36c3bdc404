import type { RulePack } from './rule.js';

/**
 * Reads a user's pack. The YAML and schema libraries are loaded only now: most runs have no pack of their own.
 * @throws ProfilerError `bad-rules` (exit 2), which names file, line and field of the first faults.
 */
export async function parseRulePack(yamlText: string, fileName: string): Promise<RulePack> {
  const { readUserPack } = await import('./user-pack.js');
  return readUserPack(yamlText, fileName);
}
