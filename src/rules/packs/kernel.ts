import type { RulePack } from '../rule.js';

/** What the kernel says of a thread itself, where the sampler asked it. */
export const KERNEL: RulePack = {
  id: 'kernel',
  dated: '2026-11-30',
  title: 'States that the kernel tells (perf with switches)',
  rules: [
    {
      id: 'kernel/cpu-wait',
      bucket: 'cpu-wait',
      match: { name: '[waiting for a CPU]' },
      why: 'The thread could run, and others had the CPUs.',
      hits: [
        'main (loop);step (loop);[waiting for a CPU]',
        'run (bridge.py:80);step (bridge.py:41);mj_step (libmujoco.so.3.2.0);[waiting for a CPU]',
      ],
      misses: ['main (loop);step (loop)'],
    },
  ],
};
