import type { Readable } from 'node:stream';
import { ProfilerError } from '../../model/index.js';
import { engineFailure, statusOf } from './engine-error.js';
import type { Engine } from './engine.js';

/** One file to put into a container. */
export interface PutFile {
  /** Existing folder in the container. A mount at or below it hides the file: run it to see. */
  readonly folder: string;
  readonly name: string;
  readonly content: Buffer;
  /** Default 0755. */
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Puts a file into a container, running or not. Throws `ProfilerError`: `container-read-only`, `container-no-folder`,
 * `container-disk-full`, `no-such-container`, `engine-unreachable`, `engine-refused`.
 */
export async function putFile(engine: Engine, container: string, file: PutFile): Promise<void> {
  try {
    await engine.docker
      .getContainer(container)
      .putArchive(await tarOf(file), { path: file.folder, noOverwriteDirNonDir: true });
  } catch (error) {
    throw engineFailure(`put ${file.name} into ${file.folder}`, container, error);
  }
}

/** An archive of one file, as the engine takes it for a container's folder or for a whole image. */
export async function tarOf(file: Omit<PutFile, 'folder'>): Promise<Buffer> {
  const { name, content, mode = 0o755, uid = 0, gid = 0 } = file;
  const { pack } = await import('tar-stream');
  const archive = pack();
  archive.entry({ name, mode, uid, gid }, content);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** What the engine tells of a path in a container's own layer. */
export interface FileFacts {
  readonly name: string;
  readonly size: number;
  readonly modifiedAt: string;
}

/** `undefined` when there is no such path. Throws as `putFile` does. */
export async function statFile(
  engine: Engine,
  container: string,
  path: string,
): Promise<FileFacts | undefined> {
  try {
    const answer: Readable & { readonly headers: Readonly<Record<string, string | undefined>> } =
      await engine.docker.getContainer(container).infoArchive({ path });
    answer.resume();
    return parseFacts(answer.headers['x-docker-container-path-stat'] ?? '');
  } catch (error) {
    // The answer to HEAD has no words: the container may be missing as well as the file.
    if (statusOf(error) === 404 && (await exists(engine, container))) return undefined;
    throw engineFailure(`look for ${path}`, container, error);
  }
}

function parseFacts(header: string): FileFacts {
  const { name, size, mtime } = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as {
    readonly name: string;
    readonly size: number;
    readonly mtime: string;
  };
  return { name, size, modifiedAt: mtime };
}

async function exists(engine: Engine, container: string): Promise<boolean> {
  const found = await engine.docker
    .getContainer(container)
    .inspect()
    .catch((error: unknown) => {
      throw engineFailure('describe it', container, error);
    });
  return found.Id !== '';
}

/** More than any profile or library that is fetched. */
const MAX_BYTES = 512 * 1024 * 1024;

/** Content of a file in a container; `undefined` when there is no such file, or it is none. Throws as `putFile` does. */
export async function getFile(
  engine: Engine,
  container: string,
  path: string,
  maxBytes: number = MAX_BYTES,
): Promise<Buffer | undefined> {
  const facts = await statFile(engine, container, path);
  if (facts === undefined) return undefined;
  if (facts.size > maxBytes) {
    throw new ProfilerError({
      id: 'container-file-large',
      what: `${path} in container ${container.slice(0, 64)} has ${facts.size} bytes; ${maxBytes} are taken at most.`,
      why: 'It is not the file that was expected there.',
      fix: `docker cp ${container.slice(0, 64)}:${path} .`,
    });
  }
  try {
    const archive = await engine.docker.getContainer(container).getArchive({ path });
    return await firstFile(archive as Readable, maxBytes);
  } catch (error) {
    throw engineFailure(`fetch ${path}`, container, error);
  }
}

async function firstFile(archive: Readable, maxBytes: number): Promise<Buffer | undefined> {
  const { extract } = await import('tar-stream');
  const entries = archive.pipe(extract());
  archive.once('error', (error) => entries.destroy(error));
  for await (const entry of entries) {
    if (entry.header.type !== 'file') return undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of entry) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      // It may have grown since it was looked at.
      if (size > maxBytes) break;
    }
    return Buffer.concat(chunks).subarray(0, maxBytes);
  }
  return undefined;
}
