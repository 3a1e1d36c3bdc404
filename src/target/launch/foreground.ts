import { PROC, readProcText } from '../proc/file.js';

/**
 * Whether our process group is the one that its terminal sends Ctrl-C to: then whatever we started in the same group has had it
 * as well. Fields 5 and 8 of /proc/self/stat; without a terminal the latter is -1.
 */
export function inForeground(proc: string = PROC): boolean {
  const text = readProcText(proc, 'self', 'stat') ?? '';
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  const [, , group, , , foreground] = fields;
  return group !== undefined && group === foreground;
}
