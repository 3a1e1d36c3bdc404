import { join } from 'node:path';
import { zeroXProfile, zeroXText } from '../formats/index.js';
import { errorReason, type Finding, ProfilerError, shellLine } from '../model/index.js';
import { drawZeroX, type ZeroX } from '../target/index.js';
import type { Loaded } from './source.js';
import { writeWholeFile } from './whole-file.js';

/** The profile as 0x draws it, as HTML. Throws `ProfilerError` `0x-failed`. */
export async function zeroXPage(
  zeroX: ZeroX,
  { profile, source }: Pick<Loaded, 'profile' | 'source'>,
): Promise<string> {
  return drawZeroX(zeroX, zeroXProfile(profile), zeroXText(source.path));
}

const PAGE = 'flamegraph.html';

/** Puts the page of 0x into a recording made without it; the finding says where it is, or what it failed of. Never throws. */
export async function addZeroXPage(zeroX: ZeroX, folder: string, loaded: Loaded): Promise<Finding> {
  const path = join(loaded.folder ?? folder, PAGE);
  try {
    await writeWholeFile(join(folder, PAGE), [await zeroXPage(zeroX, loaded)]);
    return {
      level: 'note',
      id: '0x-page',
      what: `0x ${zeroX.version} drew its flame graph page: ${path}.`,
      why: '0x cannot attach to a running process: V8 was sampled through its inspector instead, and 0x only drew the result.',
    };
  } catch (error) {
    const { what, why } =
      error instanceof ProfilerError
        ? error.finding
        : { what: `${path} could not be written (${errorReason(error)}).`, why: 'The disk may be full.' };
    return {
      level: 'warning',
      id: '0x-page-missing',
      what,
      why: `${why} The recording itself is whole.`,
      fix: shellLine(['profiler', 'export', loaded.folder ?? folder, '--to', '0x', '-o', PAGE]),
    };
  }
}
