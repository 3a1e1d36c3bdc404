import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptied, notHeard, rosEnvironment } from '../../../src/target/clock/ros-environment.js';
import { readEnvironment } from '../../../src/target/proc/environment.js';

it('of the environment of a target only what ROS needs is taken, as it stands there', () => {
  const proc = mkdtempSync(join(tmpdir(), 'proc-'));
  mkdirSync(join(proc, '7'));
  writeFileSync(
    join(proc, '7/environ'),
    'ROS_DOMAIN_ID=7\0AWS_SECRET_ACCESS_KEY=x\0PATH=/opt/ros/bin:/bin\0CYCLONEDDS_URI=<a b="c=d"/>\0RMW_IMPLEMENTATION=\0=C:\0cut\0PYTHONPATH=/opt/ros\0',
  );
  const environment = readEnvironment(7, proc);
  expect(environment?.get('AWS_SECRET_ACCESS_KEY')).toBe('x');
  expect(rosEnvironment(environment ?? new Map())).toEqual({
    ROS_DOMAIN_ID: '7',
    PATH: '/opt/ros/bin:/bin',
    CYCLONEDDS_URI: '<a b="c=d"/>',
    RMW_IMPLEMENTATION: '',
    PYTHONPATH: '/opt/ros',
  });
  const without = notHeard(environment ?? new Map());
  expect(without).toContain('ROS_LOCALHOST_ONLY');
  for (const name of ['ROS_DOMAIN_ID', 'RMW_IMPLEMENTATION', 'PATH']) expect(without).not.toContain(name);
  expect(emptied(environment ?? new Map())).toEqual({
    AMENT_PREFIX_PATH: '',
    LD_LIBRARY_PATH: '',
    PYTHONHOME: '',
  });
  expect(readEnvironment(8, proc)).toBeUndefined();
});
