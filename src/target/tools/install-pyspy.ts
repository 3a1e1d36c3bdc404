import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ProfilerError, errorCode } from '../../model/index.js';
import { diskFull, downloadWheel } from './download.js';
import { toolsFolder, type Environment } from './folder.js';
import { PYSPY_VERSION, wheelFor, type Wheel } from './release.js';
import { runVersion } from './version.js';
import { readZipEntry } from './zip.js';

export interface InstalledTool {
  readonly path: string;
  readonly version: string;
  /** Of the wheel that it was unpacked from. */
  readonly sha256: string;
}

export interface InstallOptions {
  readonly env: Environment;
  /** As `process.arch` names it. */
  readonly arch: string;
  /** Puts a wheel into the folder and gives its name; the user's own pip unless a test has another. */
  readonly download?: (wheel: Wheel, folder: string, env: Environment) => Promise<string>;
  /** Checksum and platform to demand, for a test with a wheel of its own. */
  readonly wheel?: Wheel;
}

/**
 * Fetches py-spy with the user's own pip or uv, checks the pinned checksum, unpacks the static binary into our tools
 * folder. The old binary stays in place until the new one is whole. Throws `ProfilerError`: `tool-no-wheel`,
 * `tool-no-pip`, `tool-no-network`, `tool-download`, `tool-checksum`, `tool-disk-full`, `tool-folder`, `tool-broken`.
 */
export async function installPySpy(options: InstallOptions): Promise<InstalledTool> {
  const wheel = options.wheel ?? wheelFor(options.arch);
  const folder = toolsFolder(options.env);
  const work = await onDisk(folder, async () => {
    await mkdir(folder, { recursive: true });
    return mkdtemp(join(folder, '.download-'));
  });
  try {
    const name = await (options.download ?? downloadWheel)(wheel, work, options.env);
    const bytes = await onDisk(work, () => readFile(join(work, name)));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (sha256 !== wheel.sha256) throw checksumError(name, sha256, wheel.sha256);
    const binary = unpack(bytes, name);
    const path = join(folder, 'py-spy');
    await onDisk(folder, () => writeExecutable(binary, join(work, randomUUID()), path));
    const state = await runVersion(path);
    if (state.state === 'works') return { path, version: state.version, sha256 };
    throw new ProfilerError({
      id: 'tool-broken',
      what: `py-spy ${PYSPY_VERSION} was installed at ${path} but does not run.`,
      why: state.state === 'broken' ? `It seems that ${state.because}.` : 'The file has vanished again.',
      fix: 'XDG_DATA_HOME=/var/tmp profiler tools install py-spy  (a disk that is not mounted noexec)',
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function unpack(wheel: Buffer, name: string): Buffer {
  try {
    const binary = readZipEntry(wheel, (entry) => entry.endsWith('.data/scripts/py-spy'));
    if (binary !== undefined) return binary;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  // Not reachable with the pinned file; kept for the next version that moves the binary.
  throw new ProfilerError({
    id: 'tool-broken',
    what: `The wheel ${name} holds no py-spy binary.`,
    why: 'It is laid out differently from the version that this program knows.',
    fix: `pip install py-spy==${PYSPY_VERSION}`,
  });
}

async function writeExecutable(content: Buffer, temporary: string, path: string): Promise<void> {
  const file = await open(temporary, 'wx', 0o755);
  try {
    await file.writeFile(content);
    // The mode given to open is cut by the umask.
    await file.chmod(0o755);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/** Turns what the disk refuses into words. */
async function onDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    if (code === 'ENOSPC' || code === 'EDQUOT') throw diskFull(folder);
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT'].includes(code)) throw error;
    throw new ProfilerError({
      id: 'tool-folder',
      what: `The folder ${folder} cannot be written (${code}).`,
      why:
        code === 'EROFS'
          ? 'Its file system is mounted read-only.'
          : 'It belongs to another user, or a part of its path is a file.',
      fix: 'XDG_DATA_HOME=/var/tmp profiler tools install py-spy  (and the same XDG_DATA_HOME for attach)',
    });
  }
}

function checksumError(name: string, found: string, expected: string): ProfilerError {
  return new ProfilerError({
    id: 'tool-checksum',
    what: `The downloaded ${name} has SHA-256 ${found}, expected ${expected}.`,
    why: 'The download was damaged, or the package index serves another file under this name; nothing was installed.',
    fix: 'pip cache remove py_spy  (then: profiler tools install py-spy; if it happens again, check the index)',
  });
}
