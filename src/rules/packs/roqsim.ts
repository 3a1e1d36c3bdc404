import { BRIDGE, ENGINE, EXECUTOR, SENSOR, SIMULATOR } from '../known-frames.js';
import { pacerRules } from '../pacer-rules.js';
import type { Rule, RulePack } from '../rule.js';

const TICK = 'main (roqsim/runner.py:1090);_tick (roqsim/runner.py:235)';
const HOOK = `${TICK};step (roqsim/engine.py:281);_timed (roqsim/engine.py:365)`;
const BRIDGE_HOOK = `${HOOK};post_step (roqsim/bridge.py:120)`;
const PLUGIN = { file: '*/plugins/' } as const;
const HOOK_NAMES = ['pre_step', 'post_step', 'on_reset'] as const;

const PACING: readonly Rule[] = pacerRules({
  id: 'roqsim/pacer',
  match: { name: 'Pacer.*', file: `${SIMULATOR}/clock.py` },
  example: 'main (roqsim/runner.py:1090);_tick (roqsim/runner.py:234);Pacer.wait (roqsim/clock.py:50)',
  misses: ['main (agent.py:3);wait (multiprocessing/connection.py:947)', 'run (rclpy/clock.py:40)'],
});

const SENSING: readonly Rule[] = [
  {
    id: 'roqsim/raycast',
    bucket: 'raycast',
    match: { file: `${SIMULATOR}/raycast.py` },
    label: { from: 'caller', match: SENSOR },
    why: 'The simulator keeps its ray casts in this module, which calls the engine with all rays at once.',
    remedy: {
      text: 'Cast fewer rays or cast them less often, all in one mj_multiRay with a cutoff, and leave meshes and visual groups out with geomgroup.',
      source: 'google-deepmind/mujoco issues 969, 1202 and 1875',
      above: 0.1,
    },
    hits: [
      `${HOOK};post_step (roqsim_sensors/plugins/lidar_common.py:243);cast (roqsim/raycast.py:139)`,
      'RayCaster.cast_many (rover_sim/raycast.py:20) #mujoco.mj_multiRay(self.model, self.data,',
    ],
    misses: ['main (x.py:1);cast (ctypes/__init__.py:510)', `${HOOK};cast (my_pkg/raycast.py:3)`],
  },
  {
    id: 'roqsim/rendering',
    bucket: 'render',
    match: { file: `${SIMULATOR}/{rendering,render,renderer}.py` },
    label: { from: 'caller', match: SENSOR },
    why: 'The simulator keeps its off-screen rendering in this module.',
    hits: [
      `${HOOK};post_step (roqsim_sensors/plugins/camera_common.py:295);render (roqsim/rendering.py:482)`,
    ],
    misses: ['main (x.py:1);render (jinja2/rendering.py:3)'],
  },
];

const PUBLISHING: readonly Rule[] = [
  {
    id: 'roqsim/hook-read-by-bridge',
    bucket: 'publishing',
    kind: 'read',
    match: PLUGIN,
    under: BRIDGE,
    notUnder: EXECUTOR,
    why: 'The bridge asks a plugin for what it is about to publish: the hook yields to the bridge further out.',
    hits: [
      `${BRIDGE_HOOK};read_state (roqsim_mobile/plugins/diff_drive.py:300);mean (numpy/_core/fromnumeric.py:3824)`,
    ],
    misses: [`${HOOK};post_step (roqsim_mobile/plugins/diff_drive.py:267)`],
  },
  {
    id: 'roqsim/bridge-read',
    bucket: 'publishing',
    kind: 'read',
    match: { name: ['read', 'read_*', '_read', '_read_*'], ...BRIDGE },
    notUnder: EXECUTOR,
    why: 'The endpoint fetches the state that it publishes.',
    hits: [`${BRIDGE_HOOK};Endpoint.read (roqsim/bridge.py:80)`],
    misses: [
      `${BRIDGE_HOOK};read (other/bridge.py:3)`,
      `${BRIDGE_HOOK};_publish (roqsim_ros_bridge/ros2_bridge.py:90)`,
    ],
  },
  {
    id: 'roqsim/convert',
    bucket: 'publishing',
    kind: 'message-build',
    match: { file: [`${SIMULATOR}/registry.py`, 'roqsim_ros_bridge/registry.py'] },
    under: BRIDGE,
    notUnder: EXECUTOR,
    label: { from: 'message' },
    why: 'The registry holds the functions that fill a message field by field.',
    hits: [`${BRIDGE_HOOK};convert_laser_scan (roqsim_ros_bridge/registry.py:44)`],
    misses: [`${TICK};lookup (roqsim/registry.py:4)`],
  },
  {
    id: 'roqsim/clock-publish',
    bucket: 'publishing',
    match: { name: '_tick', file: ['roqsim_ros_bridge/ros2_bridge.py', `${SIMULATOR}/ros2_bridge.py`] },
    label: { from: 'text', text: 'Clock' },
    why: 'This function of the bridge publishes /clock, by default once a step.',
    hits: [
      `${BRIDGE_HOOK};_tick (roqsim_ros_bridge/ros2_bridge.py:210)`,
      `${BRIDGE_HOOK};Ros2Bridge._tick (rover_sim/ros2_bridge.py:98)`,
    ],
    misses: [TICK],
  },
  {
    id: 'roqsim/encode',
    bucket: 'publishing',
    kind: 'encode',
    match: { file: 'PIL/' },
    under: BRIDGE,
    label: { from: 'message' },
    why: 'Images are compressed on the physics thread before they are published.',
    hits: [
      `${BRIDGE_HOOK};_encode (roqsim_ros_bridge/ros2_bridge.py:150);_encode_tile (PIL/ImageFile.py:550)`,
    ],
    misses: [
      `${HOOK};post_step (roqsim_sensors/plugins/camera_common.py:295);_encode_tile (PIL/ImageFile.py:550)`,
    ],
  },
  {
    id: 'roqsim/bridge',
    bucket: 'publishing',
    match: BRIDGE,
    notUnder: EXECUTOR,
    label: { from: 'message' },
    why: 'Everything under the bridge serves publishing, unless a render or ray cast claims it nearer to the leaf.',
    hits: [BRIDGE_HOOK, `${BRIDGE_HOOK};SimContext.dt (roqsim/context.py:318)`],
    misses: [
      'main (bridge.py:90);run (bridge.py:80)',
      'spin (rclpy/executors.py:295);_spin_once_impl (rclpy/executors.py:800);_on_cmd_vel (roqsim_ros_bridge/ros2_bridge.py:60)',
    ],
  },
];

const HOOKS: readonly Rule[] = [
  {
    id: 'roqsim/plugin',
    bucket: 'plugin',
    match: PLUGIN,
    under: ENGINE,
    notUnder: BRIDGE,
    label: { from: 'caller', match: PLUGIN },
    why: 'The nearest frame below a plugins folder is the hook that the engine called; library code beneath it belongs to it.',
    hits: [
      `${HOOK};post_step (roqsim_mobile/plugins/diff_drive.py:253);mean (numpy/_core/fromnumeric.py:3824);_mean (numpy/_core/_methods.py:132)`,
      `${HOOK};pre_step (roqsim_mobile/plugins/diff_drive.py:242);SimContext.dt (roqsim/context.py:318)`,
    ],
    misses: ['main (x.py:1);hook (pytest/plugins/core.py:3)'],
  },
  {
    id: 'roqsim/hook-elsewhere',
    bucket: 'plugin',
    match: { name: HOOK_NAMES },
    caller: ENGINE,
    label: { from: 'caller', match: { name: HOOK_NAMES } },
    why: 'The engine called a hook that lives outside a plugins folder.',
    hits: [`${HOOK};Gripper.post_step (my_robot/gripper.py:20)`],
    misses: ['main (x.py:1);post_step (my_robot/gripper.py:20)', BRIDGE_HOOK],
  },
];

const LOOP: readonly Rule[] = [
  {
    id: 'roqsim/step-unknown',
    bucket: 'physics',
    match: { name: 'Engine.step', ...ENGINE, sourceKnown: false },
    leaf: true,
    why: 'C calls leave no frame, so the step function as the leaf is mostly mj_step; without the text of the line its own few lines count with it.',
    hits: [`${TICK};step (roqsim/engine.py:278)`, `${TICK};Engine.step (rover_sim/engine.py:60)`],
    misses: [
      `${TICK};step (roqsim_sensors/coverage/engine.py:9)`,
      `${TICK};step (roqsim/engine.py:281) #self._timed(hook)`,
    ],
  },
  {
    id: 'roqsim/plain-step',
    bucket: 'physics',
    match: { name: 'Engine.step', file: 'plain_sim/engine.py', source: 'hashlib.' },
    leaf: true,
    why: 'The demonstration without MuJoCo hashes a block where others step physics.',
    hits: [`${TICK};step (plain_sim/engine.py:27) #self.digest = hashlib.sha256(self._block).digest()`],
    misses: [`${TICK};step (roqsim/engine.py:27) #self.digest = hashlib.sha256(self._block).digest()`],
  },
  {
    id: 'roqsim/paused',
    bucket: 'idle',
    kind: 'paused',
    match: { name: '_tick', file: `${SIMULATOR}/runner.py`, source: 'sleep(' },
    leaf: true,
    blocks: 'sleep',
    why: 'A paused simulation sleeps in the runner itself, not in the pacer.',
    hits: ['main (roqsim/runner.py:1090);_tick (roqsim/runner.py:220) #time.sleep(0.005)'],
    misses: [TICK],
  },
  {
    id: 'roqsim/tick-unknown',
    bucket: 'python',
    match: { name: '_tick', file: `${SIMULATOR}/runner.py`, sourceKnown: false },
    leaf: true,
    why: 'Without the text of the line a tick as the leaf may be the loop at work, or a paused simulation that sleeps in it.',
    hits: [TICK],
    misses: ['main (roqsim/runner.py:1090);_tick (roqsim/runner.py:220) #time.sleep(0.005)'],
  },
  {
    id: 'roqsim/loop-line',
    bucket: 'python',
    match: {
      file: `${SIMULATOR}/{engine,runner,control,commands,__main__}.py`,
      notSource: ['mj_*(', 'mjr_*('],
    },
    leaf: true,
    why: 'The loop itself: timing wrappers, dispatch of hooks, commands.',
    hits: [
      `${HOOK};_record (roqsim/engine.py:372)`,
      `${TICK};step (roqsim/engine.py:281) #self._timed(hook)`,
    ],
    misses: [`${TICK};step (roqsim/engine.py:278) #mujoco.mj_step(self.model, self.data)`],
  },
  {
    id: 'roqsim/loop-call',
    bucket: 'python',
    match: { file: `${SIMULATOR}/{engine,runner,control,commands,__main__}.py` },
    leaf: false,
    why: 'What the loop calls and nothing finer claims, the command queue with its locks included, is the loop.',
    hits: [
      `${TICK};step (roqsim/engine.py:276);drain_commands (roqsim/context.py:338);Queue.get_nowait (queue.py:199);Queue.get (queue.py:168);Condition.__enter__ (threading.py:275)`,
      `${TICK};step (roqsim/engine.py:283);publish_snapshot (roqsim/context.py:362)`,
    ],
    misses: [TICK, `${TICK};step (roqsim/engine.py:278)`],
  },
];

export const ROQSIM: RulePack = {
  id: 'roqsim',
  dated: '2026-11-29',
  title: 'roqsim and simulators laid out like it: pacer, hooks, bridge, loop',
  rules: [...PACING, ...SENSING, ...PUBLISHING, ...HOOKS, ...LOOP],
};
