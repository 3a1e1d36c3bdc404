import type { ThreadStates } from '../model/index.js';
import type { SliceSampler } from '../recording/index.js';
import type { SamplerFacts, StateCounts } from './backends/cpython/protocol.js';
import type { HotLines } from './source-text.js';

/** What a file of our own sampler names, as far as it has to be known while the target lives. */
export interface NamedInSamples {
  /** Thread ids: the host's, or the container's where it was sampled in there. */
  readonly tids: ReadonlySet<number>;
  /** Names that the interpreter has for them. */
  readonly names: ReadonlyMap<number, string>;
  readonly hot: HotLines;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Names and lines of a file of samples (format `cpython`). A line that says neither is left to the reader of the format. */
export function namedInSamples(samples: string): NamedInSamples {
  const tids = new Set<number>();
  const names = new Map<number, string>();
  const files = new Map<string, string>();
  const hot = new Map<string, Set<number>>();
  for (const [line, kind] of samples.matchAll(/^([dcf]) .*$/gm)) {
    if (kind === 'd') {
      const thread = parsed(line.replace(/^d \d+ /, ''));
      if (typeof thread !== 'object' || thread === null) continue;
      const { tid, name } = thread as { readonly tid?: unknown; readonly name?: unknown };
      if (typeof tid !== 'number') continue;
      tids.add(tid);
      if (typeof name === 'string') names.set(tid, name);
    } else if (kind === 'c') {
      const [, id = '', text = ''] = /^c (\d+) \d+ (.*)$/.exec(line) ?? [];
      const pair = parsed(text);
      const file: unknown = Array.isArray(pair) ? pair[1] : undefined;
      if (typeof file === 'string') files.set(id, file);
    } else {
      const [, code = '', at = ''] = /^f \d+ -?\d+ (\d+) (\d+)/.exec(line) ?? [];
      const file = files.get(code);
      if (
        file === undefined ||
        file === '' ||
        file.startsWith('<') ||
        file.includes('\0') ||
        Number(at) === 0
      )
        continue;
      const lines = hot.get(file) ?? new Set();
      hot.set(file, lines.add(Number(at)));
    }
  }
  return { tids, names, hot };
}

/** The looks at one thread in the terms of the kernel's accounting. */
export function statesOf({ looks, running, gil, sleep, other }: StateCounts): ThreadStates {
  return { looks, running, gil, sleep, other };
}

/** What the recording keeps of it; the words of errors stay in the slice itself. */
export function samplerOf({ reads, ...facts }: SamplerFacts): SliceSampler {
  const { again, lost, unverified, reused } = reads;
  return { ...facts, reads: { again, lost, unverified, reused } };
}
