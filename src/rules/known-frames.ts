import type { FramePattern } from './rule.js';

/** Packages laid out like roqsim: the simulator itself and the demonstration of this project. */
export const SIMULATOR = '{roqsim,rover_sim,plain_sim}';

/** The loop that calls hooks and steps physics. */
export const ENGINE: FramePattern = { file: `${SIMULATOR}/engine.py` };

/** The simulator's side of the ROS bridge. */
export const BRIDGE: FramePattern = { file: [`${SIMULATOR}/{bridge,ros2_bridge}.py`, 'roqsim_ros_bridge/'] };

/** Where sensors and other plugins live; names the rows of ray casts and renders. */
export const SENSOR: FramePattern = { file: ['*/plugins/', '*_sensors/', '*/sensors/'] };

export const EXECUTOR: FramePattern = { file: 'rclpy/executors.py' };

export const PYTHON: FramePattern = { kind: 'python' };

/** Lines that watch the clock in a loop. */
export const SPINNING_TEXT = ['while *:'] as const;

/** Lines that sleep in a C call: no Python frame stands below them. */
export const SLEEPING_TEXT = ['sleep(', 'sleep_until(', 'select.select('] as const;
