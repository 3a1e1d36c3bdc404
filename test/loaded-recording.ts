import type { Loaded } from '../src/cli/source.js';
import type { Profile } from '../src/model/index.js';
import { attachSources } from '../src/recording/attach-sources.js';
import type { Recording } from '../src/recording/index.js';

/** A recording in the folder `rec`, as it is read: its profile and what the kernel counted beside it. */
export function loadedRecording(profile: Profile, made: Recording): Loaded {
  return {
    profile: { ...attachSources(profile, made), origin: { format: 'recording', path: 'rec' } },
    recording: made,
    folder: 'rec',
    source: { path: 'rec', format: 'recording' },
    findings: [],
  };
}
