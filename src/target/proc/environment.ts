import { PROC, readProcText } from './file.js';

/** The environment that a process was started with; undefined where it is not ours to read. What the process set later is not in it. */
export function readEnvironment(pid: number, proc: string = PROC): ReadonlyMap<string, string> | undefined {
  const text = readProcText(proc, String(pid), 'environ');
  return text === undefined ? undefined : environmentOf(text);
}

/** Of the text of such a file. */
export function environmentOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\0').flatMap((setting) => {
      const equals = setting.indexOf('=');
      return equals > 0 ? [[setting.slice(0, equals), setting.slice(equals + 1)] as const] : [];
    }),
  );
}
