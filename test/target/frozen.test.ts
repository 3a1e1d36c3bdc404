import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { frozenGroup } from '../../src/target/index.js';
import { procTree } from './proc-tree.js';
import { scratch } from './scratch.js';

const V1 = '6:cpu,freezer:/docker/abc\n1:cpu:/\n0::/\n';
const V2 = '0::/system.slice/docker-abc.scope\n';

/** What is found of a process in this group, with these files under the mount of the control groups. */
function found(cgroup: string, files: Readonly<Record<string, string>>): ReturnType<typeof frozenGroup> {
  const proc = procTree([{ pid: 7, ppid: 1, args: ['python3'], cgroup }]);
  const root = scratch();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const group = frozenGroup(7, proc, root);
  return group === undefined ? undefined : { ...group, file: group.file.replace(root, '') };
}

it('finds a frozen control group of version 1', () => {
  const file = '/freezer/docker/abc/freezer.state';
  for (const state of ['FROZEN\n', 'FREEZING\n'])
    expect(found(V1, { [file]: state })).toEqual({ file, thawed: 'THAWED' });
  expect(found(V1, { [file]: 'THAWED\n' })).toBeUndefined();
});

it('finds a frozen control group of version 2', () => {
  const folder = '/system.slice/docker-abc.scope';
  const group = { file: `${folder}/cgroup.freeze`, thawed: '0' };
  expect(found(V2, { [`${folder}/cgroup.events`]: 'populated 1\nfrozen 1\n' })).toEqual(group);
  expect(found(V2, { [`${folder}/cgroup.freeze`]: '1\n' })).toEqual(group);
  expect(
    found(V2, { [`${folder}/cgroup.events`]: 'frozen 0\n', [`${folder}/cgroup.freeze`]: '0\n' }),
  ).toBeUndefined();
});

it('takes what cannot be read for not frozen', () => {
  expect(found(V1, {})).toBeUndefined();
  expect(frozenGroup(8, procTree([]), scratch())).toBeUndefined();
});
