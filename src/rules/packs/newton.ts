import { SENSOR } from '../known-frames.js';
import { pacerRules } from '../pacer-rules.js';
import type { FramePattern, Rule, RulePack } from '../rule.js';

const SOLVERS = 'newton/_src/solvers/';
/** In 1.x the modules are in `newton/_src`; before, beneath `newton`. */
const SENSORS = 'newton/_src/sensors/';
const LAUNCH = 'launch (warp/_src/context.py:12100);invoke (warp/_src/context.py:11259)';
const MAIN = '<module> (sim.py:50);main (sim.py:40)';
const STEP = `${MAIN};SolverXPBD.step (newton/_src/solvers/xpbd/solver_xpbd.py:330)`;
const FRAME = `${MAIN};ViewerGL.end_frame (newton/_src/viewer/viewer_gl.py:1709)`;
const EXAMPLE: FramePattern = { name: '_throttle_render_fps', file: 'newton/examples/__init__.py' };

const RULES: readonly Rule[] = [
  ...pacerRules({
    id: 'newton/example-pace',
    match: EXAMPLE,
    example: `${MAIN};run (newton/examples/__init__.py:540);_throttle_render_fps (newton/examples/__init__.py:517)`,
    misses: [`${MAIN};_throttle_render_fps (my/examples.py:3)`],
  }),
  {
    id: 'newton/ray-sensor',
    bucket: 'raycast',
    match: {
      file: [`${SENSORS}{sensor_raycast,raycast_sensor,sensor_lidar}.py`, 'newton/_src/geometry/raycast.py'],
    },
    whenBlocked: { kind: 'gpu-wait' },
    label: { from: 'caller', match: SENSOR },
    why: 'Rays are cast against the shapes of the model.',
    hits: [`${MAIN};SensorRaycast.update (newton/_src/sensors/sensor_raycast.py:300);${LAUNCH}`],
    misses: [`${MAIN};update (my/sensor_raycast.py:3)`],
  },
  {
    id: 'newton/camera-sensor',
    bucket: 'render',
    kind: 'camera',
    match: { file: [`${SENSORS}*camera*.py`, `${SENSORS}*camera*/`, `${SENSORS}warp_raytrace/`] },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'Cameras are drawn by ray tracing with Warp.',
    hits: [
      `${MAIN};SensorTiledCamera.update (newton/_src/sensors/sensor_tiled_camera.py:176);RenderContext.render (newton/_src/sensors/warp_raytrace/render_context.py:175);${LAUNCH}`,
    ],
    misses: [`${MAIN};update (my/sensor_tiled_camera.py:176)`],
  },
  {
    id: 'newton/sensor',
    bucket: 'plugin',
    kind: 'sensor',
    match: { file: SENSORS },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'Another sensor reads the state: contacts, inertial units, frames.',
    hits: [`${MAIN};SensorIMU.update (newton/_src/sensors/sensor_imu.py:180);${LAUNCH}`],
    misses: [`${MAIN};SensorRaycast.update (newton/_src/sensors/sensor_raycast.py:300)`],
  },
  {
    id: 'newton/viewer',
    bucket: 'render',
    kind: 'viewer',
    match: { file: 'newton/_src/viewer/' },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'A viewer takes the state over, draws it or writes it, and waits for the GPU before it reads.',
    remedy: {
      text: 'Log the state at the rate of the screen, not once a step; ViewerNull draws nothing.',
      source: 'Newton, ViewerNull and begin_frame / log_state / end_frame',
      above: 0.1,
    },
    hits: [FRAME, `${FRAME};synchronize (warp/_src/context.py:12665)`],
    misses: [`${MAIN};end_frame (my/viewer.py:3)`],
  },
  {
    id: 'newton/mujoco-convert',
    bucket: 'physics',
    kind: 'convert',
    match: {
      name: [
        '_apply_mjc_control',
        '_update_mjc_data',
        '_update_newton_state',
        '_convert_contacts_to_mjwarp',
        'SolverMuJoCo.update_contacts',
      ],
      file: `${SOLVERS}mujoco/solver_mujoco.py`,
    },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'State, control and contacts go from Newton to MuJoCo and back, once a step.',
    hits: [
      `${MAIN};SolverMuJoCo.step (newton/_src/solvers/mujoco/solver_mujoco.py:3812);SolverMuJoCo._update_newton_state (newton/_src/solvers/mujoco/solver_mujoco.py:4900);${LAUNCH}`,
    ],
    misses: [STEP],
  },
  {
    id: 'newton/solver',
    bucket: 'physics',
    match: { file: [SOLVERS, 'newton/solvers/'] },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'The solver launches its kernels: on a CPU they run inside the launch, for a GPU they are only queued, and their time shows where the loop waits.',
    hits: [
      STEP,
      `${STEP};${LAUNCH}`,
      `${MAIN};SolverFeatherstone.step (newton/solvers/featherstone/solver_featherstone.py:200)`,
    ],
    misses: [`${MAIN};SolverXPBD.step (my/solvers/solver_xpbd.py:330)`],
  },
  {
    id: 'newton/collision',
    bucket: 'physics',
    kind: 'collision',
    match: {
      file: [
        'newton/_src/geometry/',
        'newton/_src/sim/collide.py',
        'newton/geometry/',
        'newton/sim/collide.py',
      ],
    },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'The collision pipeline: broad phase, narrow phase, contacts.',
    hits: [
      `${MAIN};Model.collide (newton/_src/sim/model.py:2008);CollisionPipeline.collide (newton/_src/sim/collide.py:1765);${LAUNCH}`,
      `${MAIN};NarrowPhase.launch (newton/_src/geometry/narrow_phase.py:3241);${LAUNCH}`,
    ],
    misses: [`${MAIN};collide (my/sim/collide.py:3)`],
  },
  {
    id: 'newton/collide-call',
    bucket: 'physics',
    kind: 'collision',
    match: { name: 'collide', file: ['newton/_src/sim/model.py', 'newton/sim/model.py'] },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'The model has its shapes collided.',
    hits: [`${MAIN};Model.collide (newton/_src/sim/model.py:2020)`],
    misses: [`${MAIN};Model.control (newton/_src/sim/model.py:1900)`],
  },
  {
    id: 'newton/state',
    bucket: 'physics',
    kind: 'state',
    match: {
      file: [
        'newton/_src/sim/{state,contacts,control,articulation}.py',
        'newton/sim/{state,articulation}.py',
      ],
    },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'State is cleared, copied, or worked out of joint coordinates around the step.',
    hits: [`${MAIN};State.clear_forces (newton/_src/sim/state.py:90);array.zero_ (warp/_src/types.py:4500)`],
    misses: [`${MAIN};State.clear_forces (my/state.py:3)`],
  },
  {
    id: 'newton/actuator',
    bucket: 'plugin',
    kind: 'control',
    match: { file: ['newton/_src/actuators/', 'newton/_src/controllers/', 'newton/_src/sim/ik/'] },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'Actuators, controllers and inverse kinematics set what the next step is given.',
    hits: [`${MAIN};Actuator.step (newton/_src/actuators/actuator.py:204);${LAUNCH}`],
    misses: [STEP],
  },
  {
    id: 'newton/build',
    bucket: 'load',
    kind: 'building',
    match: { file: ['newton/_src/sim/builder.py', 'newton/sim/builder.py', 'newton/_src/utils/import_*.py'] },
    why: 'A model is put together or read from a description.',
    hits: [`${MAIN};ModelBuilder.finalize (newton/_src/sim/builder.py:9000)`],
    misses: [`${MAIN};ModelBuilder.finalize (my/builder.py:3)`],
  },
];

export const NEWTON: RulePack = {
  id: 'newton',
  dated: '2026-11-30',
  title: 'Newton: solvers, collision, sensors, viewers, the pace of its examples',
  source: 'Newton 1.8.0 and its sources of August 2026 (1.6.0.dev0)',
  tested: 'Newton 1.8.0 on a CPU, CPython 3.11 (rendering, rays and waits for a GPU not)',
  rules: RULES,
};
