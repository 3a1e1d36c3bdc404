import { baseName } from './proc/command.js';
import type { MapRegion } from './proc/maps.js';

/** Packages that only a simulation loads, by the name of their folder, library or module. */
const SIMULATORS = [
  'mujoco',
  'mujoco_py',
  'mujoco_warp',
  'roqsim',
  'pybullet',
  'dm_control',
  'robosuite',
  'flygym',
  'pydrake',
  'sapien',
  'raisimpy',
  'isaacsim',
  'isaacgym',
  'isaaclab',
  'omni.isaac',
  'habitat_sim',
  'carla',
];

// Longest first, so that `mujoco_py` is not reported as `mujoco`.
const NAME = new RegExp(
  `(?:^|[/_.-]|lib)(${[...SIMULATORS]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replaceAll('.', '\\.'))
    .join('|')})(?=$|[/_.-]|\\d)`,
  'i',
);

/** A sign of a simulator in a process. `loaded`: its library is mapped; otherwise only the command line names it. */
export interface SimulatorTrace {
  readonly name: string;
  readonly loaded: boolean;
}

export function simulatorIn(
  command: readonly string[],
  maps: readonly Pick<MapRegion, 'path'>[],
): SimulatorTrace | undefined {
  for (const { path } of maps) {
    const name = path === undefined ? undefined : NAME.exec(codeName(path))?.[1];
    if (name !== undefined) return { name: name.toLowerCase(), loaded: true };
  }
  for (const argument of command) {
    const name = NAME.exec(argument)?.[1];
    if (name !== undefined) return { name: name.toLowerCase(), loaded: false };
  }
  return undefined;
}

/** Package of an extension module, else the file's own name: a workspace folder may be called like a simulator. */
function codeName(path: string): string {
  return /\/(?:site|dist)-packages\/([^/]+)/.exec(path)?.[1] ?? baseName(path);
}
