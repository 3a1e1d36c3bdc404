const LONGEST_NAME = 60;

/**
 * A label or process name as part of a folder name: letters, digits, `.`, `_` and `-` of any script, nothing that a
 * path, a shell or a listing could take for more.
 */
export function cleanFolderName(name: string): string {
  const cleaned = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}._-]+/gu, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/-[-.]*-|-{2,}/g, '-')
    .replace(/^[-.]+/, '');
  const cut = [...cleaned]
    .slice(0, LONGEST_NAME)
    .join('')
    .replace(/[-.]+$/, '');
  return cut === '' ? 'recording' : cut;
}

/** `2026-11-29T14-02-11`, in UTC like every time in a recording. */
export function folderTime(time: Date): string {
  return time.toISOString().slice(0, 19).replaceAll(':', '-');
}

const TIME = /^-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:-\d+)?$/;

/** Whether a folder was made as `NAME-TIME`, or as its twin `NAME-TIME-2`, of exactly that name. */
export function isMadeAs(name: string, folder: string): boolean {
  return folder.startsWith(name) && TIME.test(folder.slice(name.length));
}
