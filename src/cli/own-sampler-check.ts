import { probeCpython, probeCpythonSidecar } from '../capture/index.js';
import { type Check, type DiagnosedTarget, probeRealtime } from '../target/index.js';
import { mayTakeSidecar } from './attach-sampler.js';

/**
 * Whether our own sampler can read a Python, from here or from a container of ours: it tests itself on it, which stops nobody, and what that
 * made is taken back. Nothing for other programs.
 */
export async function ownSamplerCheck(found: DiagnosedTarget): Promise<readonly Check[]> {
  const { target, flags } = found;
  if (target.runtime !== 'python') return [];
  const check = { group: 'backends', id: 'backend-cpython', name: 'cpython' } as const;
  const direct = await probeCpython({ target, realtime: await probeRealtime() });
  const isBeside = !direct.works && mayTakeSidecar(found, direct.finding);
  const probe = isBeside ? await probeCpythonSidecar(found) : direct;
  if (!probe.works) {
    const { what, why } = probe.finding;
    return [{ ...check, state: 'limited', what: `${what} ${why}` }];
  }
  await probe.route.undo();
  const from = { host: ', from outside of its container', sidecar: ', from a container of ours' };
  const where = Object.entries(from).find(([id]) => id === probe.route.id)?.[1] ?? '';
  return [
    {
      ...check,
      state: 'works',
      what: `our own: frames of Python, and what the kernel says of each thread in every sample${where}; stops nobody`,
      fix: `profiler attach ${flags}`,
    },
  ];
}
