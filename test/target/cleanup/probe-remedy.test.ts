import { expect, it } from 'vitest';
import { probeRemedy } from '../../../src/target/cleanup/probe-remedy.js';
import { isTrace } from '../../../src/target/journal/trace-shape.js';
import { findTracefs } from '../../../src/target/tracing/tracefs.js';
import { itWhere } from '../../only-where.js';

const probe = { kind: 'uprobe', group: 'sim_profiler_12_4026531836_0123abcd' } as const;
const tracefs = findTracefs();

it('a journal names nothing but probes of ours: the name becomes a path, and words for the kernel', () => {
  expect(isTrace(probe)).toBe(true);
  for (const group of [
    '',
    'kprobes',
    '../..',
    'sim_profiler_1_2_0123abcd\n-:other/x',
    'sim_profiler_1_0123abcd',
    'sim_profiler_1_x',
    7,
  ])
    expect(isTrace({ kind: 'uprobe', group })).toBe(false);
});

itWhere('path' in tracefs, 'because' in tracefs ? tracefs.because : '')(
  'probes that are not there are gone',
  async () => {
    expect(await probeRemedy(probe).look()).toBe('gone');
    expect(await probeRemedy(probe).take()).toBeUndefined();
  },
);
