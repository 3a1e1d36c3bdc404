import type { RulePack } from '../rule.js';
import { LOAD } from './load.js';
import { KERNEL } from './kernel.js';
import { MUJOCO } from './mujoco.js';
import { NODE_PACK } from './node.js';
import { PYTHON_PACK } from './python.js';
import { ROQSIM } from './roqsim.js';
import { ROS2 } from './ros2.js';

/** The packs that come with the tool, in order of precedence: what knows a simulator best decides first. */
export const builtInPacks: readonly RulePack[] = [LOAD, ROQSIM, MUJOCO, ROS2, NODE_PACK, PYTHON_PACK, KERNEL];
