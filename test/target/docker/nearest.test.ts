import { expect, it } from 'vitest';
import { nearestNames } from '../../../src/target/docker/nearest.js';

it('puts the name with the fewest changed letters first, two swapped ones being one change', () => {
  expect(nearestNames('abcdef', ['abxxef', 'bacdef'])).toEqual(['bacdef', 'abxxef']);
});

it('knows a part of a name, in any case', () => {
  expect(nearestNames('Bridge', ['robot-lidar-1', 'robot-bridge-1'])).toEqual(['robot-bridge-1']);
  expect(nearestNames('robot-bridge-1', ['bridge'])).toEqual(['bridge']);
});

it('leaves out what nobody meant, repetitions, and all beyond five', () => {
  expect(nearestNames('bridge', ['lidar', 'camera'])).toEqual([]);
  expect(nearestNames('cam', ['cam1', 'cam1', 'cam2', 'cam3', 'cam4', 'cam5', 'cam6'])).toEqual([
    'cam1',
    'cam2',
    'cam3',
    'cam4',
    'cam5',
  ]);
});

it('does not choke on names without end', () => {
  expect(nearestNames('x'.repeat(100_000), ['y'.repeat(100_000), ''])).toEqual([]);
});
