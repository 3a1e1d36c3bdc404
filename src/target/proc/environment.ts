import { PROC, readProcText } from './file.js';

/** The environment that a process was started with; undefined where it is not ours to read. What the process set later is not in it. */
export function readEnvironment(pid: number, proc: string = PROC): ReadonlyMap<string, string> | undefined {
  const text = readProcText(proc, String(pid), 'environ');
  if (text === undefined) return undefined;
  return new Map(
    text.split('\0').flatMap((setting) => {
      const equals = setting.indexOf('=');
      return equals > 0 ? [[setting.slice(0, equals), setting.slice(equals + 1)] as const] : [];
    }),
  );
}
