import type { WriteFacts } from '../formats/index.js';
import { type RuleSet, classifyProfile } from '../rules/index.js';
import { programName } from './program-name.js';
import type { Loaded } from './source.js';

/** What a source knows beside its profile, for the writers that show it. */
export function writeFacts(
  { profile, recording, spans }: Pick<Loaded, 'profile' | 'recording' | 'spans'>,
  ruleSet: RuleSet,
): WriteFacts {
  const marks = (): ReturnType<typeof classifyProfile> => classifyProfile(ruleSet, profile);
  const measured = spans === undefined ? {} : { spans };
  if (recording === undefined) return { marks, ...measured };
  const { target, rateHz, createdAt } = recording;
  const startMs = Date.parse(createdAt);
  return {
    marks,
    ...measured,
    rateHz,
    process: { pid: target.pid, name: programName(target.command) },
    ...(Number.isNaN(startMs) ? {} : { startMs }),
  };
}
