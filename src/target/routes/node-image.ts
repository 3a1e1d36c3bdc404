import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { baseName } from '../proc/command.js';
import { PROC } from '../proc/file.js';
import { readMaps } from '../proc/maps.js';
import { readLinkage } from '../elf/linkage.js';
import type { ImageRecipe } from './sidecar-image.js';

const FOLDER = 'sim-profiler';
/** Where they lie in a sidecar. */
export const SIDECAR_NODE = `/${FOLDER}/node`;
export const SIDECAR_SCRIPT = `/${FOLDER}/main.mjs`;
export const SIDECAR_LIBRARIES = `/${FOLDER}/lib`;

/** One file of the image: its path there, without the slash in front, and here. */
export interface ImageFile {
  readonly name: string;
  readonly path: string;
}

/**
 * The running Node with all that it needs to be started: its loader and its libraries, each where this very process got it from, by
 * the names that they are asked for. Empty where it cannot be read.
 */
export function nodeFiles(proc: string = PROC): readonly ImageFile[] {
  // As it runs, also where another version was installed over it since.
  const program = `${proc}/self/exe`;
  const linkage = readLinkage(program);
  if (linkage === undefined) return [];
  const paths = new Set((readMaps(process.pid, proc) ?? []).flatMap(({ path }) => path ?? []));
  const loaded = new Map(
    [...paths].flatMap((path) => {
      const found = readLinkage(path);
      return found === undefined ? [] : [[found.soname ?? baseName(path), { path, ...found }] as const];
    }),
  );
  const libraries = new Map<string, string>();
  const ask = (needed: readonly string[]): void => {
    for (const name of needed) {
      const library = loaded.get(name);
      // What is not there by that name is the loader's own affair, as with musl.
      if (library === undefined || libraries.has(name)) continue;
      libraries.set(name, library.path);
      ask(library.needed);
    }
  };
  ask(linkage.needed);
  const { interpreter } = linkage;
  return [
    { name: SIDECAR_NODE.slice(1), path: program },
    ...(interpreter === undefined ? [] : [{ name: interpreter.replace(/^\/+/, ''), path: interpreter }]),
    ...[...libraries]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, path]) => ({ name: `${SIDECAR_LIBRARIES.slice(1)}/${name}`, path })),
  ];
}

/** An image that holds the running Node and one script, named after what is in it. Rejects where a file cannot be read. */
export async function nodeImage(script: string): Promise<ImageRecipe> {
  const files = [...nodeFiles(), { name: SIDECAR_SCRIPT.slice(1), path: script }];
  const hash = createHash('sha256');
  for (const { name, path } of files) {
    hash.update(`${name}\0${statSync(path).size}\0`);
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }))
      hash.update(chunk as Buffer);
  }
  return {
    reference: `sim-profiler/node:${process.versions.node}-${hash.digest('hex').slice(0, 12)}`,
    archive: () => archiveOf(files),
  };
}

/** Streamed: Node alone has 100 MB. */
async function archiveOf(files: readonly ImageFile[]): Promise<Readable> {
  const { pack } = await import('tar-stream');
  const archive = pack();
  const fill = async (): Promise<void> => {
    for (const { name, path } of files) {
      const entry = archive.entry({ name, mode: 0o755, uid: 0, gid: 0, size: statSync(path).size });
      await pipeline(createReadStream(path), entry);
    }
    archive.finalize();
  };
  fill().catch((error: unknown) =>
    archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return Readable.from(archive);
}
