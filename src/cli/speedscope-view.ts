import type { SpeedscopeLimits } from '../formats/index.js';
import { classifyProfile } from '../rules/index.js';
import { type AnswerOptions, answer } from './answer.js';
import type { Loaded } from './source.js';
import { ownVersion } from './version.js';
import { sourceLabels } from './view-names.js';
import { type View, viewOf } from './view-profile.js';
import { shownProfile } from './view-states.js';

/** A file to keep is whole, whatever the viewer can open. */
export const WHOLE: SpeedscopeLimits = {
  timedFrames: Number.POSITIVE_INFINITY,
  pooledFrames: Number.POSITIVE_INFINITY,
  depth: Number.POSITIVE_INFINITY,
};

/** The sources as one file for speedscope, as `view` shows them and `export` writes them, with the buckets in it and samples worth what they are worth there. */
export function speedscopeView(
  loaded: readonly Loaded[],
  options: AnswerOptions,
  limits?: SpeedscopeLimits,
): View & { readonly title: string } {
  const labels = sourceLabels(loaded);
  const sources = loaded.map((one, index) => {
    const claims = classifyProfile(options.ruleSet, one.profile);
    const breakdown = answer(one, { ...options, claims });
    const seen = shownProfile(one.profile, breakdown, claims);
    return {
      loaded: { ...one, profile: seen.profile },
      breakdown,
      claims: seen.claims,
      ...(loaded.length > 1 ? { label: labels[index] ?? '' } : {}),
    };
  });
  const title = labels.join(', ');
  return { ...viewOf(sources, { title, exporter: `sim-profiler@${ownVersion()}` }, limits), title };
}
