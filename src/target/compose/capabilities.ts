import type { Engine } from '../docker/engine.js';
import type { Finding } from '../../model/index.js';

export interface CapabilityWish {
  /** For perf beside py-spy. */
  readonly perf?: boolean;
  /** Consent by name: it is close to being root on the machine. */
  readonly sysAdmin?: boolean;
}

export interface CapabilityChoice {
  readonly capabilities: readonly string[];
  readonly findings: readonly Finding[];
}

/** The capabilities to ask for: SYS_PTRACE always, PERFMON where it is wanted and the engine knows it, SYS_ADMIN only by name. */
export async function chooseCapabilities(engine: Engine, wish: CapabilityWish): Promise<CapabilityChoice> {
  const admin = wish.sysAdmin === true ? ['SYS_ADMIN'] : [];
  if (wish.perf !== true) return { capabilities: ['SYS_PTRACE', ...admin], findings: [] };
  if (await knowsCapability(engine, 'PERFMON'))
    return { capabilities: ['SYS_PTRACE', 'PERFMON', ...admin], findings: [] };
  const refused: Finding = {
    level: admin.length > 0 ? 'note' : 'warning',
    id: 'perfmon-unknown',
    what: `Engine ${engine.version} does not know the capability PERFMON.`,
    why:
      admin.length > 0
        ? 'SYS_ADMIN, which was asked for by name, lets perf work as well.'
        : 'perf cannot work inside the container; from the host as root it can.',
    ...(admin.length > 0
      ? {}
      : { fix: 'add --sys-admin  (close to root on this machine: only with consent)' }),
  };
  return { capabilities: ['SYS_PTRACE', ...admin], findings: [refused] };
}

/** No image has this name, so that nothing is ever made. */
const NO_IMAGE = 'sim-profiler.invalid/none:none';

/** An engine looks at the capabilities of a container to be made before it looks for the image: 400 for one that it does not know. */
async function knowsCapability(engine: Engine, capability: string): Promise<boolean> {
  try {
    const made = await engine.docker.createContainer({
      Image: NO_IMAGE,
      HostConfig: { CapAdd: [capability] },
    });
    await made.remove();
    return true;
  } catch (error) {
    return (error as { statusCode?: number }).statusCode === 404;
  }
}

/** `CAP_SYS_PTRACE` and `sys_ptrace` are the same. */
export function capabilityName(text: string): string {
  return text.toUpperCase().replace(/^CAP_/, '');
}

/** Those of `wanted` that a container of these settings lacks. */
export function missingCapabilities(
  wanted: readonly string[],
  settings: { readonly privileged: boolean; readonly capAdd: readonly string[] },
): readonly string[] {
  if (settings.privileged) return [];
  const has = new Set(settings.capAdd.map(capabilityName));
  return has.has('ALL') ? [] : wanted.filter((capability) => !has.has(capabilityName(capability)));
}
