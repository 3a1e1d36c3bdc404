import type { Frame } from '../model/index.js';

/** Longer paths come from a torn read. */
const LONGEST_PATH = 4096;
const VERSION = /^\d{1,4}\.\d{1,4}\.\d{1,4}(?!\d)/;

/**
 * Release of a library that a frame lies in, from its file name (`libmujoco.so.3.14.0`, `libmujoco.3.14.0.dylib`) or from a folder of
 * its path that carries the program's name and a version (`mujoco-3.14.0`, `mujoco-3.14.0.dist-info`).
 */
export function libraryVersion(
  { module, file }: Frame,
  library: string,
  program: string,
): string | undefined {
  const path = module ?? file;
  if (path === undefined || path.length > LONGEST_PATH) return undefined;
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  return (
    versionAfter(name, `${library}.so.`) ??
    versionAfter(name, `${library}.`) ??
    parts
      .map((part) => versionAfter(part, `${program.toLowerCase()}-`))
      .find((version) => version !== undefined)
  );
}

function versionAfter(text: string, prefix: string): string | undefined {
  return text.startsWith(prefix) ? VERSION.exec(text.slice(prefix.length))?.[0] : undefined;
}

/** Whether a native frame lies in a library of that name, whatever its release. */
export function isInLibrary({ module }: Frame, library: string): boolean {
  if (module === undefined) return false;
  const name = module.slice(module.lastIndexOf('/') + 1);
  return name.startsWith(`${library}.`);
}
