import type { RulePack } from '../rule.js';
import { DM_CONTROL } from './dm-control.js';
import { DRAKE } from './drake.js';
import { FLYGYM } from './flygym.js';
import { GENESIS } from './genesis.js';
import { GYMNASIUM } from './gymnasium.js';
import { GZ_SIM } from './gz-sim.js';
import { ISAAC } from './isaac.js';
import { KERNEL } from './kernel.js';
import { LOAD } from './load.js';
import { MUJOCO } from './mujoco.js';
import { MUJOCO_WARP } from './mujoco-warp.js';
import { NEWTON } from './newton.js';
import { NODE_PACK } from './node.js';
import { PYBULLET } from './pybullet.js';
import { PYTHON_PACK } from './python.js';
import { ROQSIM } from './roqsim.js';
import { ROS2 } from './ros2.js';
import { WARP } from './warp.js';
import { WEBOTS } from './webots.js';

/** The packs that come with the tool, in order of precedence: what knows a simulator best decides first. */
export const builtInPacks: readonly RulePack[] = [
  LOAD,
  ROQSIM,
  MUJOCO,
  DM_CONTROL,
  GYMNASIUM,
  FLYGYM,
  PYBULLET,
  DRAKE,
  GENESIS,
  ISAAC,
  NEWTON,
  MUJOCO_WARP,
  WARP,
  GZ_SIM,
  WEBOTS,
  ROS2,
  NODE_PACK,
  PYTHON_PACK,
  KERNEL,
];
