import { PROC, readProcText } from './file.js';

/** Where control groups are mounted. */
const GROUPS = '/sys/fs/cgroup';

/** A control group that holds all its processes, as `docker pause` does. */
export interface FrozenGroup {
  /** File of the group, and what to write into it so that it goes on. */
  readonly file: string;
  readonly thawed: string;
}

/**
 * The control group of a process, if it is frozen or about to be; `undefined` otherwise, and where that cannot be read. Version 1 tells by
 * `freezer.state`, version 2 by `cgroup.events`; both count what a group above has frozen.
 */
export function frozenGroup(
  pid: number,
  proc: string = PROC,
  root: string = GROUPS,
): FrozenGroup | undefined {
  for (const line of (readProcText(proc, String(pid), 'cgroup') ?? '').split('\n')) {
    const [, id, controllers = '', path = ''] = /^(\d+):([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers.split(',').includes('freezer')) {
      const file = `${root}/freezer${path}/freezer.state`;
      if (/^(?:FROZEN|FREEZING)\s*$/.test(readProcText(file) ?? '')) return { file, thawed: 'THAWED' };
    } else if (id === '0' && controllers === '') {
      for (const folder of [`${root}${path}`, `${root}/unified${path}`]) {
        const events = readProcText(folder, 'cgroup.events') ?? '';
        const wish = readProcText(folder, 'cgroup.freeze') ?? '';
        if (/^frozen 1$/m.test(events) || wish.trim() === '1')
          return { file: `${folder}/cgroup.freeze`, thawed: '0' };
      }
    }
  }
  return undefined;
}
