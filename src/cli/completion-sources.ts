import { ProfilerError } from '../model/index.js';
import { listRecordings } from '../recording/index.js';
import { cleanText } from '../report/index.js';

/**
 * Labels and folder names of the recordings here, newest first, for a shell that completes SOURCE. A name that would steer a terminal, or
 * pass for an option, is left out.
 */
export async function sourceNames(cwd: string): Promise<readonly string[]> {
  const { recordings } = await listRecordings(cwd).catch((error: unknown) => {
    // Nobody reads an error while a key is pressed.
    if (error instanceof ProfilerError) return { recordings: [] };
    throw error;
  });
  const names = recordings.flatMap(({ name, recording }) => [recording.label ?? name, name]);
  return [...new Set(names)].filter(
    (name) => name !== '' && !name.startsWith('-') && cleanText(name) === name,
  );
}
