import { SENSOR } from '../known-frames.js';
import type { FramePattern, Rule, RulePack } from '../rule.js';

const SOURCE = 'mujoco_warp/_src/';
const file = (stems: string): string => `${SOURCE}${stems}.py`;
const STEPS: FramePattern = {
  name: ['step', 'step1', 'step2', 'forward', 'inverse'],
  file: file('{forward,inverse}'),
};

const MAIN = '<module> (sim.py:50);main (sim.py:40)';
const EVENT = 'wrapper (mujoco_warp/_src/warp_util.py:80)';
const STEP = `${MAIN};${EVENT};step (mujoco_warp/_src/forward.py:2100)`;
const LAUNCH = 'launch (warp/_src/context.py:12100)';

/** Phases by module, as MuJoCo's timers name them; kernels run inside the launch on a CPU, and are only queued for a GPU. */
const PHASES: readonly { readonly kind: string; readonly match: FramePattern; readonly example: string }[] = [
  {
    kind: 'kinematics',
    match: {
      name: ['fwd_kinematics', 'kinematics', 'com_pos', 'camlight', 'flex', 'tendon', 'transmission'],
      file: file('{forward,smooth}'),
    },
    example: 'kinematics (mujoco_warp/_src/smooth.py:300)',
  },
  {
    kind: 'inertia',
    match: { name: ['crb', 'tendon_armature', 'factor_m', '_factor*'], file: file('smooth') },
    example: 'factor_m (mujoco_warp/_src/smooth.py:900)',
  },
  {
    kind: 'collision',
    match: { file: [`${SOURCE}collision_*.py`] },
    example: 'nxn_broadphase (mujoco_warp/_src/collision_driver.py:500)',
  },
  {
    kind: 'make-constraint',
    match: { file: file('{constraint,island}') },
    example: 'make_constraint (mujoco_warp/_src/constraint.py:1200)',
  },
  {
    kind: 'velocity',
    match: {
      name: ['fwd_velocity', 'com_vel', 'passive', 'rne', 'tendon_bias', 'tendon_dot'],
      file: file('{forward,smooth,passive}'),
    },
    example: 'rne (mujoco_warp/_src/smooth.py:1500)',
  },
  {
    kind: 'actuation',
    match: { name: 'fwd_actuation', file: file('forward') },
    example: 'fwd_actuation (mujoco_warp/_src/forward.py:1500)',
  },
  {
    kind: 'acceleration',
    match: { name: 'fwd_acceleration', file: file('forward') },
    example: 'fwd_acceleration (mujoco_warp/_src/forward.py:1700)',
  },
  {
    kind: 'constraint',
    match: { file: file('solver') },
    example: 'solve (mujoco_warp/_src/solver.py:2500)',
  },
  {
    kind: 'advance',
    match: { name: ['euler', 'implicit', 'rungekutta4', '_advance'], file: file('forward') },
    example: 'euler (mujoco_warp/_src/forward.py:600)',
  },
  {
    kind: 'sensors',
    match: { file: file('sensor') },
    example: 'sensor_pos (mujoco_warp/_src/sensor.py:900)',
  },
];

const SENSING: readonly Rule[] = [
  {
    id: 'mujoco-warp/ray',
    bucket: 'raycast',
    match: { name: ['ray', 'rays'], file: file('ray') },
    notUnder: { file: file('sensor') },
    whenBlocked: { kind: 'gpu-wait' },
    label: { from: 'caller', match: SENSOR },
    why: 'Rays are cast that no sensor of the model asked for.',
    hits: [`${MAIN};ray (mujoco_warp/_src/ray.py:1200);${LAUNCH}`],
    misses: [`${STEP};sensor_pos (mujoco_warp/_src/sensor.py:900);rays (mujoco_warp/_src/ray.py:1300)`],
  },
  {
    id: 'mujoco-warp/render',
    bucket: 'render',
    match: { file: file('{render,render_util,render_context}') },
    whenBlocked: { kind: 'gpu-wait' },
    label: { from: 'caller', match: SENSOR },
    why: 'The batch renderer draws its cameras by ray tracing.',
    hits: [`${MAIN};${EVENT};render (mujoco_warp/_src/render.py:1400);${LAUNCH}`],
    misses: [`${MAIN};render (my/render.py:3)`],
  },
  {
    id: 'mujoco-warp/viewer',
    bucket: 'render',
    kind: 'viewer',
    match: { name: 'get_data_into', file: file('io') },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'State is copied into a MuJoCo model, which loops do to draw it; the copy waits for the GPU.',
    hits: [`${MAIN};get_data_into (mujoco_warp/_src/io.py:2500);array.numpy (warp/_src/types.py:4708)`],
    misses: [STEP],
  },
  {
    id: 'mujoco-warp/load',
    bucket: 'load',
    kind: 'building',
    match: { name: ['put_model', 'put_data', 'make_data'], file: file('io') },
    why: 'Model and data are copied to the device.',
    hits: [`${MAIN};put_model (mujoco_warp/_src/io.py:400);${LAUNCH}`],
    misses: [`${MAIN};put_model (my/io.py:3)`],
  },
  {
    id: 'mujoco-warp/reset',
    bucket: 'plugin',
    kind: 'reset',
    match: { name: ['reset_data', 'reset_data_keyframe'], file: file('io') },
    why: 'Worlds are set back to their start.',
    hits: [`${MAIN};reset_data (mujoco_warp/_src/io.py:2900);${LAUNCH}`],
    misses: [STEP],
  },
];

const PHASE_RULES: readonly Rule[] = PHASES.map(({ kind, match, example }) => ({
  id: `mujoco-warp/phase-${kind}`,
  bucket: 'physics',
  kind,
  match,
  whenBlocked: { kind: 'gpu-wait' },
  why: 'The module or function that launches the kernels of this phase; on a GPU this is the launching alone, and the work itself shows where the loop waits.',
  hits: [`${STEP};${EVENT};${example};${LAUNCH}`, `${STEP};${example}`],
  misses: [STEP, `${MAIN};${example.replace('mujoco_warp/_src', 'mine')}`],
}));

const PHYSICS: readonly Rule[] = [
  {
    id: 'mujoco-warp/step',
    bucket: 'physics',
    match: STEPS,
    whenBlocked: { kind: 'gpu-wait' },
    why: 'The step itself; what is beneath it and belongs to no phase is physics.',
    hits: [STEP, `${MAIN};step (mujoco_warp/_src/forward.py:2100);${LAUNCH}`],
    misses: [`${MAIN};step (my/forward.py:3)`],
  },
  {
    id: 'mujoco-warp/step-line',
    bucket: 'physics',
    match: { source: ['mjw.step(', 'mjwarp.step(', 'mujoco_warp.step('] },
    leaf: true,
    why: 'The line that calls the step, before a frame of the package stands on the stack.',
    hits: [`${MAIN} #mjw.step(m, d)`],
    misses: [`${MAIN} #env.step(action)`],
  },
  {
    id: 'mujoco-warp/other',
    bucket: 'physics',
    match: { file: SOURCE },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'Other functions of the package: support functions of the dynamics.',
    hits: [`${MAIN};mul_m (mujoco_warp/_src/support.py:100);${LAUNCH}`],
    misses: [`${MAIN};mul_m (my/support.py:100)`],
  },
];

export const MUJOCO_WARP: RulePack = {
  id: 'mujoco-warp',
  dated: '2026-11-30',
  title: 'MuJoCo Warp: phases by module, rays, rendering, read-backs',
  source: 'mujoco-warp 4.0.0',
  tested: 'mujoco-warp 4.0.0 on a CPU, CPython 3.11',
  rules: [...SENSING, ...PHASE_RULES, ...PHYSICS],
};
