import { readProfile } from '../formats/index.js';
import type { Profile } from '../model/index.js';
import { attachSources } from './attach-sources.js';
import type { Recording } from './recording.js';

/** Reads what py-spy wrote outside a recording, with the text of its lines. */
export async function readRawSamples(raw: Uint8Array, sources: Recording['sources']): Promise<Profile> {
  const profile = await readProfile([raw], {}, { format: 'pyspy-raw', allowEmpty: true });
  return attachSources(profile, { sources, slices: [] });
}
