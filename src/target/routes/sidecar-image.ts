import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { tarOf } from '../docker/archive.js';
import { statusOf } from '../docker/engine-error.js';
import type { Engine } from '../docker/engine.js';
import { KIND_LABEL, SESSION_LABEL } from '../docker/labels.js';
import type { Trace } from '../journal/journal.js';
import type { RouteContext } from './route.js';

/** Where py-spy lies in a sidecar. In a target's own image it must hide nothing. */
export const SIDECAR_PROGRAM = '/sim-profiler-py-spy';

/** An image of ours, made on the spot from files of this machine. */
export interface ImageRecipe {
  /** Named after its content: other files are another image. */
  readonly reference: string;
  /** What it holds, as an archive to be unpacked at the root. */
  readonly archive: () => Promise<Readable>;
}

/** `sim-profiler/py-spy:0.4.2-1a2b3c4d5e6f`: another binary is another image. */
export function sidecarReference(version: string, binary: Uint8Array): string {
  const hash = createHash('sha256').update(binary).digest('hex').slice(0, 12);
  return `sim-profiler/py-spy:${version.replaceAll(/[^\w.-]/g, '_')}-${hash}`;
}

/** An image that holds nothing but the static py-spy. */
export function pySpyImage({ pyspy }: Pick<RouteContext, 'pyspy'>): ImageRecipe {
  const binary = readFileSync(pyspy.path);
  return {
    reference: sidecarReference(pyspy.version, binary),
    archive: async () => Readable.from([await programTar(binary)]),
  };
}

/** How the image is written down while a route uses it, so that nobody's `cleanup` removes it between two runs. */
export function imageTrace({ host }: Engine, { reference }: ImageRecipe): Trace {
  return { kind: 'image', engine: host, reference };
}

/**
 * Id of the image; made on the spot where the engine has none. Runs at the same time share it, so it stays until `cleanup` finds it by
 * its label. Rejects with the engine's error.
 */
export async function sidecarImage(
  { docker }: Engine,
  { reference, archive }: ImageRecipe,
  session: string,
): Promise<string> {
  try {
    return (await docker.getImage(reference).inspect()).Id;
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
  const changes = [`LABEL ${KIND_LABEL}=image`, `LABEL ${SESSION_LABEL}=${session}`];
  const answer = await docker.importImage(await archive(), { repo: reference, changes });
  // The engine answers 200 at once, and tells of an error in the stream.
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(answer, (error) => (error === null ? resolve() : reject(error)));
  });
  return (await docker.getImage(reference).inspect()).Id;
}

/** An archive of the program alone, to be unpacked at the root. */
export function programTar(binary: Uint8Array): Promise<Buffer> {
  return tarOf({ name: SIDECAR_PROGRAM.slice(1), content: Buffer.from(binary) });
}
