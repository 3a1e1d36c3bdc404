import type { Target } from '../target/index.js';
import type { TargetFlags } from './target-flags.js';

/** The flags that name a process, as a user would type them again. */
export function typedFlags({
  pid,
  match,
  container,
  compose,
  service,
  project,
  index,
}: TargetFlags): readonly string[] {
  return [
    ...(pid === undefined ? [] : ['--pid', String(pid)]),
    ...(container === undefined ? [] : ['--container', container]),
    ...(compose ?? []).flatMap((file) => ['--compose', file]),
    ...(service === undefined ? [] : ['--service', service]),
    ...(project === undefined ? [] : ['--project', project]),
    ...(index === undefined ? [] : ['--index', String(index)]),
    ...(match === undefined ? [] : ['--match', match]),
  ];
}

/** The flags that lead to the process that was found: to the container or service that was named, else to its pid. */
export function targetWords(flags: TargetFlags, { pid }: Pick<Target, 'pid'>): readonly string[] {
  return flags.container === undefined && flags.service === undefined
    ? ['--pid', String(pid)]
    : typedFlags(flags);
}
