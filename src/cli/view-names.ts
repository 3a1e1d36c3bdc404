import { basename } from 'node:path';
import type { Thread } from '../model/index.js';
import { type ThreadAnswer, threadName } from '../report/index.js';
import type { Loaded } from './source.js';

/** Roles that say nothing to a reader. */
const PLAIN = new Set(['other', 'unknown']);

/** Of a source that knows no threads. */
const ALL = 'all samples';

function isNothing({ name, tid, pid, command }: Thread): boolean {
  return (name ?? '') === '' && tid === undefined && pid === undefined && command === undefined;
}

/** Names of a source's threads in the viewer: `MainThread (physics)`; those of one name are told apart by their ids. Raw. */
export function threadTitles(threads: readonly ThreadAnswer[], label: string | undefined): readonly string[] {
  const names = threads.map(({ thread }) => (isNothing(thread) ? ALL : threadName(thread)));
  return threads.map(({ thread, role }, index) => {
    const name = names[index] ?? '';
    const id = thread.tid ?? thread.pid;
    const twin = names.indexOf(name) !== names.lastIndexOf(name);
    const called = twin && id !== undefined ? `${name} ${id}` : name;
    const title = PLAIN.has(role) ? called : `${called} (${role})`;
    return label === undefined ? title : `${label}: ${title}`;
  });
}

/** What the sources are called, each by another name: label or folder of a recording, name of a file. Raw. */
export function sourceLabels(sources: readonly Pick<Loaded, 'recording' | 'source'>[]): readonly string[] {
  const short = sources.map(
    ({ recording, source: { path } }) =>
      recording?.label ?? (path === '-' ? 'standard input' : basename(path) || path),
  );
  const fuller = short.map((name, index) =>
    short.indexOf(name) === short.lastIndexOf(name) ? name : (sources[index]?.source.path ?? name),
  );
  return fuller.map((name, index) =>
    fuller.indexOf(name) === index
      ? name
      : `${name} (${fuller.slice(0, index + 1).filter((one) => one === name).length})`,
  );
}
