import { readFileSync } from 'node:fs';

/** How often the kernel held a process's control groups back because of their CPU quota, since they began. */
export interface Throttling {
  readonly times: number;
  readonly seconds: number;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** `cpu.stat` of version 2 (`throttled_usec`) and of version 1 (`throttled_time`, ns); see cgroups(7). */
export function parseThrottling(text: string): Throttling {
  const field = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return {
    times: field('nr_throttled'),
    seconds: field('throttled_usec') / 1e6 + field('throttled_time') / 1e9,
  };
}

/** Folders of the cpu controller that a line of `/proc/PID/cgroup` may stand for. */
function mountsOf(controllers: string): readonly string[] {
  if (controllers === '') return ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'];
  return controllers.split(',').includes('cpu')
    ? [`/sys/fs/cgroup/${controllers}`, '/sys/fs/cgroup/cpu']
    : [];
}

/** Sums over the group of the process and all above it, since any of them may carry the quota; undefined where none can be read. */
export function readThrottling(pid: number): Throttling | undefined {
  let sum: Throttling | undefined;
  for (const line of (read(`/proc/${pid}/cgroup`) ?? '').split('\n')) {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === '') continue;
    for (const mount of mountsOf(controllers)) {
      let found = false;
      for (let group = path; ; group = group.slice(0, group.lastIndexOf('/'))) {
        const text = read(`${mount}${group}/cpu.stat`);
        if (text !== undefined) {
          const { times, seconds } = parseThrottling(text);
          sum = { times: (sum?.times ?? 0) + times, seconds: (sum?.seconds ?? 0) + seconds };
          found = true;
        }
        if (group === '' || group === '/') break;
      }
      if (found) break;
    }
  }
  return sum;
}
