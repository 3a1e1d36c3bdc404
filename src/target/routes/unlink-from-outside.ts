import { unlinkSync } from 'node:fs';
import type { Engine } from '../docker/engine.js';
import { PROC } from '../proc/file.js';
import { pidOfContainer } from './container-pid.js';
import { isInnerFile } from './inner-file-name.js';

/**
 * Removes a file of ours from the root of a running container on this machine, by way of its first process. Where the container's own
 * root may not write there (`/` with mode 0555 and no CAP_DAC_OVERRIDE), nothing inside can. Whether it is gone tells the engine.
 */
export async function unlinkFromOutside(
  { docker, local }: Engine,
  container: string,
  path: string,
): Promise<void> {
  if (!local || !isInnerFile(path)) return;
  const { State, Id } = await docker.getContainer(container).inspect();
  const pid = pidOfContainer(State.Pid, Id);
  if (pid === undefined) return;
  try {
    unlinkSync(`${PROC}/${pid}/root${path}`);
  } catch {
    // We may not, or it is gone.
  }
}
