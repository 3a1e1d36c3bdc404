import { PROC, readProcText } from '../proc/file.js';

/** CPUs that the quotas of a process's control groups grant, the least of them; undefined without a quota, or where none can be read. */
export function quotaCpus(pid: number, proc: string = PROC, cgroups = '/sys/fs/cgroup'): number | undefined {
  const grants: number[] = [];
  for (const line of (readProcText(proc, String(pid), 'cgroup') ?? '').split('\n')) {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === '') continue;
    const folders =
      controllers === ''
        ? [cgroups]
        : controllers.split(',').includes('cpu')
          ? [`${cgroups}/${controllers}`]
          : [];
    for (const folder of folders) {
      for (let group = path === '/' ? '' : path; ; group = group.slice(0, group.lastIndexOf('/'))) {
        const grant = grantOf(`${folder}${group}`);
        if (grant !== undefined) grants.push(grant);
        if (group === '') break;
      }
    }
  }
  return grants.length === 0 ? undefined : Math.min(...grants);
}

/** `cpu.max` of version 2, `cpu.cfs_quota_us` of version 1; `max` and -1 are without bound. */
function grantOf(folder: string): number | undefined {
  const [quota, period] = (
    readProcText(folder, 'cpu.max') ??
    `${readProcText(folder, 'cpu.cfs_quota_us') ?? '-1'} ${readProcText(folder, 'cpu.cfs_period_us') ?? '0'}`
  )
    .split(/\s+/)
    .filter(Boolean)
    .map(Number);
  const cpus = (quota ?? Number.NaN) / (period ?? 0);
  return Number.isFinite(cpus) && cpus > 0 ? cpus : undefined;
}
