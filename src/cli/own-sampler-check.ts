import { probeCpython } from '../capture/index.js';
import { type Check, probeRealtime, type Target } from '../target/index.js';

/** Whether our own sampler can read a Python: it tests itself on it, which stops nobody and leaves nothing. Nothing for other programs. */
export async function ownSamplerCheck(target: Target, flags: string): Promise<readonly Check[]> {
  if (target.runtime !== 'python') return [];
  const check = { group: 'backends', id: 'backend-cpython', name: 'cpython' } as const;
  const probe = await probeCpython({ target, realtime: await probeRealtime() });
  if (!probe.works) {
    const { what, why } = probe.finding;
    return [{ ...check, state: 'limited', what: `${what} ${why}` }];
  }
  await probe.route.undo();
  const where = probe.route.id === 'host' ? ', from outside of its container' : '';
  return [
    {
      ...check,
      state: 'works',
      what: `our own: frames of Python, and what the kernel says of each thread in every sample${where}; stops nobody`,
      fix: `profiler attach ${flags}`,
    },
  ];
}
