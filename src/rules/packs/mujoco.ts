import { PYTHON, SENSOR } from '../known-frames.js';
import type { FramePattern, Rule, RulePack } from '../rule.js';
import { MUJOCO_CHECKED, MUJOCO_PHASES } from './mujoco-leaves.js';

const LIBRARY = 'libmujoco.{so,dylib}*';
const NATIVE = ['native', 'unknown'] as const;

const STEP_TEXT = ['mj_step(', 'mj_step1(', 'mj_step2(', '.rollout('] as const;
const FORWARD_TEXT = [
  'mj_forward(',
  'mj_forwardSkip(',
  'mj_inverse(',
  'mj_fwd*(',
  'mj_kinematics(',
  'mj_comPos(',
  'mj_collision(',
  'mj_rnePostConstraint(',
  'mj_sensorPos(',
  'mj_sensorVel(',
  'mj_sensorAcc(',
] as const;
const RAY_TEXT = [
  'mj_multiRay(',
  'mj_ray(',
  'mj_rayMesh(',
  'mj_rayHfield(',
  'mj_rayHField(',
  'mj_rayFlex(',
  'mju_rayGeom(',
  'mju_raySkin(',
] as const;
const RENDER_TEXT = ['mjr_*(', 'mjv_*('] as const;

const RAYS = [
  'mj_ray',
  'mj_multiRay',
  'mj_rayMesh',
  'mj_rayHfield',
  'mj_rayHField',
  'mj_rayFlex',
  'mj_raySdf',
  'mju_ray*',
  'mju_multiRayPrepare',
  'mju_singleRay',
  'ray_*',
  'point_in_box',
] as const;

/** A function that casts rays, where the text of its line is unknown. */
const CAST_FUNCTION: FramePattern = {
  name: ['cast', 'cast_*', '*_cast', '*raycast*', '*ray_cast*'],
  kind: 'python',
  sourceKnown: false,
};
const STEP_FUNCTION: FramePattern = {
  name: ['step', '*_step', 'mj_step'],
  kind: 'python',
  sourceKnown: false,
};
const RENDERER_FILES = [
  'mujoco/rendering/',
  'mujoco/renderer.py',
  'mujoco/gl_context.py',
  'mujoco/{egl,glfw,osmesa,cgl}/__init__.py',
];

const GL_DRIVERS = [
  'libgallium*',
  '*_dri.so',
  'libOSMesa*',
  'libEGL*',
  'libGL.so*',
  'libGL{X,dispatch,ESv2}*',
  'libnvidia-{gl,egl}*',
  'libLLVM*',
];

const MAIN = '<module> (sim.py:24);main (sim.py:19)';
const STEP = `${MAIN};step (sim.py:13)`;
const CAST = `<module> (sim.py:24);main (sim.py:20);cast (sim.py:9)`;
const LIB = '(mujoco/libmujoco.so.3.14.0)';
const STEP_LINE = `${STEP} #mujoco.mj_step(model, data)`;
const RAY_LINE = `${CAST} #mujoco.mj_multiRay(model, data, origin, rays)`;
const FEWER_RAYS = {
  text: 'Cast fewer rays or cast them less often, all in one mj_multiRay with a cutoff, and leave meshes and visual groups out with geomgroup.',
  source: 'google-deepmind/mujoco issues 969, 1202 and 1875',
  above: 0.1,
};
const SOFTWARE_RENDERING = {
  text: 'Unless a GPU renders already, pass one to the process and set MUJOCO_GL=egl; else render smaller images, or less often, or in another process.',
  source:
    'google-deepmind/mujoco issue 1402; gazebosim/gz-sim issue 2595; measured: one software render takes 45 to 110 ms',
  above: 0.1,
};

const CALL_SITES: readonly Rule[] = [
  {
    id: 'mujoco/step-line',
    bucket: 'physics',
    match: { source: STEP_TEXT },
    leaf: true,
    why: 'C calls leave no frame, so the step is the Python line that calls mj_step, wherever that line moves.',
    hits: [STEP_LINE, `${STEP_LINE};0x7fd533ea2a25 (mujoco/_functions.cpython-311-x86_64-linux-gnu.so)`],
    misses: [`${STEP} #self.time += dt`, 'main (train.py:1);step (torch/optim/adam.py:150)'],
  },
  {
    id: 'mujoco/forward-line',
    bucket: 'physics',
    kind: 'forward',
    match: { source: FORWARD_TEXT },
    leaf: true,
    why: 'The line calls a part of the dynamics outside a step.',
    hits: [`${MAIN} #mujoco.mj_forward(model, data)`],
    misses: [STEP_LINE],
  },
  {
    id: 'mujoco/callback',
    bucket: 'physics',
    kind: 'callback',
    match: { source: STEP_TEXT },
    leaf: false,
    why: 'Python runs beneath the line that steps: a control or passive callback, which holds the step up.',
    hits: [`${STEP_LINE};controller (control.py:4)`],
    misses: [STEP_LINE],
  },
  {
    id: 'mujoco/ray-line',
    bucket: 'raycast',
    match: { source: RAY_TEXT },
    leaf: true,
    label: { from: 'caller', match: SENSOR },
    why: 'The line calls a ray cast of the engine.',
    remedy: FEWER_RAYS,
    hits: [RAY_LINE],
    misses: ['main (x.py:1);cast (ctypes/__init__.py:510)', CAST],
  },
  {
    id: 'mujoco/render-line',
    bucket: 'render',
    match: { source: RENDER_TEXT },
    leaf: true,
    label: { from: 'caller', match: SENSOR },
    why: 'The line calls the renderer of the engine.',
    remedy: SOFTWARE_RENDERING,
    hits: [`${MAIN} #mujoco.mjr_readPixels(rgb, depth, viewport, context)`],
    misses: [STEP_LINE],
  },
  {
    id: 'mujoco/viewer-sync',
    bucket: 'render',
    kind: 'viewer',
    match: { name: 'sync', file: 'mujoco/viewer.py' },
    why: 'The passive viewer copies the state and waits for its lock inside sync.',
    remedy: {
      text: 'Call viewer.sync at the rate of the screen, not once a step.',
      source: 'google-deepmind/mujoco issue 1159: 6 ms a call at a 1 ms step',
      above: 0.05,
    },
    hits: ['run (bridge.py:78);sync (mujoco/viewer.py:180)'],
    misses: ['run (bridge.py:78);sync (other/viewer.py:180)'],
  },
  {
    id: 'mujoco/renderer',
    bucket: 'render',
    match: { file: RENDERER_FILES },
    label: { from: 'caller', match: SENSOR },
    why: 'The off-screen renderer of the Python package, numpy and ctypes work beneath it included.',
    remedy: SOFTWARE_RENDERING,
    hits: [
      'run (bridge.py:78);Renderer.render (mujoco/rendering/classic/renderer.py:184)',
      'run (bridge.py:78);render (mujoco/renderer.py:150);cast (ctypes/__init__.py:510)',
      'run (bridge.py:78);render (mujoco/renderer.py:150);GLContext.make_current (mujoco/osmesa/__init__.py:63)',
    ],
    misses: ['run (bridge.py:78);render (my/renderer.py:150)'],
  },
  {
    id: 'mujoco/opengl',
    bucket: 'render',
    match: { file: 'OpenGL/' },
    label: { from: 'caller', match: SENSOR },
    why: 'PyOpenGL prepares a call of the graphics driver.',
    hits: ['main (x.py:1);from_param (OpenGL/arrays/arraydatatype.py:135)'],
    misses: ['main (x.py:1);from_param (arrays/arraydatatype.py:135)'],
  },
];

const RAY_RULES: readonly Rule[] = [
  {
    id: 'mujoco/ray-in-engine',
    bucket: 'physics',
    kind: 'sensors',
    match: { name: RAYS, kind: NATIVE },
    under: {
      name: [
        'mj_step',
        'mj_step1',
        'mj_step2',
        'mj_forward',
        'mj_forwardSkip',
        'mj_sensorPos',
        'mj_computeSensor*',
      ],
      kind: NATIVE,
    },
    why: 'A range finder sensor of the model casts its rays inside the step.',
    hits: [
      `main (sim);mj_step (libmujoco.so.3.2.0);mj_sensorPos (libmujoco.so.3.2.0);mj_ray (libmujoco.so.3.2.0)`,
    ],
    misses: [`${CAST};mj_ray ${LIB}`],
  },
  {
    id: 'mujoco/ray-under-step-line',
    bucket: 'physics',
    kind: 'sensors',
    match: { name: RAYS, kind: NATIVE },
    fromLine: { source: [...STEP_TEXT, ...FORWARD_TEXT] },
    why: 'Native stacks end in libmujoco, so the Python line tells who cast the ray: a sensor of the model inside the step.',
    hits: [`${STEP_LINE};ray_box ${LIB}`],
    misses: [`${RAY_LINE};ray_box ${LIB}`],
  },
  {
    id: 'mujoco/ray-under-step-function',
    bucket: 'physics',
    kind: 'sensors',
    match: { name: RAYS, kind: NATIVE },
    fromLine: STEP_FUNCTION,
    why: 'A ray beneath a function called step, whose line is unknown, is most likely a sensor of the model.',
    hits: [`${STEP};mju_rayGeom ${LIB}`],
    misses: [`${CAST};mju_rayGeom ${LIB}`],
  },
  {
    id: 'mujoco/ray',
    bucket: 'raycast',
    match: { name: RAYS, kind: NATIVE },
    label: { from: 'caller', match: SENSOR },
    why: 'The engine casts a ray that no step asked for.',
    remedy: FEWER_RAYS,
    hits: [
      `${CAST};mj_multiRay ${LIB}`,
      `${CAST};mj_multiRay ${LIB};atan2f64 (libm.so.6);0x7f03cab1b20c (libm.so.6)`,
    ],
    misses: [`${STEP_LINE};mj_multiRay ${LIB}`],
  },
  {
    id: 'mujoco/leaf-under-ray-line',
    bucket: 'raycast',
    match: { module: LIBRARY },
    fromLine: { source: RAY_TEXT },
    label: { from: 'caller', match: SENSOR },
    why: 'Small functions of the engine that any part uses, beneath the line that casts rays.',
    hits: [`${RAY_LINE};mju_dot3 ${LIB}`],
    misses: [`${STEP_LINE};mju_dot3 ${LIB}`],
  },
];

const RENDER_RULES: readonly Rule[] = [
  {
    id: 'mujoco/render-native',
    bucket: 'render',
    match: { name: ['mjr_*', 'mjv_*'], kind: NATIVE },
    label: { from: 'caller', match: SENSOR },
    why: 'Functions of the renderer and of scene building carry these prefixes.',
    remedy: SOFTWARE_RENDERING,
    hits: [
      `main (x.py:1);mjr_render ${LIB}`,
      'main (sim);mjv_updateScene (libmujoco.so.3.2.0);memcpy (libc.so.6)',
    ],
    misses: [`${STEP_LINE};mju_copy ${LIB}`],
  },
  {
    id: 'mujoco/leaf-under-renderer',
    bucket: 'render',
    match: { module: LIBRARY },
    fromLine: [{ file: RENDERER_FILES }, { source: RENDER_TEXT }],
    label: { from: 'caller', match: SENSOR },
    why: 'Small functions of the engine that any part uses, beneath a line that renders.',
    hits: [`run (x.py:1);render (mujoco/renderer.py:150);mju_copy ${LIB}`],
    misses: [`${STEP_LINE};mju_copy ${LIB}`],
  },
  {
    id: 'mujoco/gl-driver',
    bucket: 'render',
    match: { module: GL_DRIVERS },
    under: PYTHON,
    label: { from: 'caller', match: SENSOR },
    why: 'The graphics driver works, or waits for its own threads, inside a call of the renderer.',
    remedy: SOFTWARE_RENDERING,
    hits: [
      `run (bridge.py:78);render (mujoco/renderer.py:150);mjr_render ${LIB};[libgallium-24.so] (libgallium-24.so)`,
      `run (bridge.py:78);render (mujoco/renderer.py:150);mjr_render ${LIB};0x7f11 (libOSMesa.so.8);pthread_cond_wait (libc.so.6)`,
    ],
    misses: [
      'llvmpipe-3;clone3 (libc.so.6);[swrast_dri.so] (swrast_dri.so)',
      'run (bridge.py:78);x (libGLU_stub.so)',
    ],
  },
  {
    id: 'mujoco/gl-driver-thread',
    bucket: 'render',
    kind: 'driver',
    match: { module: GL_DRIVERS },
    notUnder: PYTHON,
    whenBlocked: { bucket: 'idle', kind: 'driver' },
    why: 'A thread of the graphics driver: software rendering does its pixels on such threads.',
    hits: ['llvmpipe-3;clone3 (libc.so.6);[swrast_dri.so] (swrast_dri.so)'],
    misses: [`run (bridge.py:78);render (mujoco/renderer.py:150);[swrast_dri.so] (swrast_dri.so)`],
  },
];

/** Names that no other library has: they tell the phase in a program that holds MuJoCo itself, and where a file names no libraries. */
const OWN_NAME = /^(?:mj(?:_|u_|c_|d_|i_|raw_)|Primal[A-Z]|HessianCone|FactorizeHessian$)/;

const PHASE_NAMES: readonly FramePattern[] = [
  { name: Object.values(MUJOCO_PHASES).flat(), module: LIBRARY },
  { name: ownNames(Object.values(MUJOCO_PHASES).flat()), kind: NATIVE },
];

function ownNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => OWN_NAME.test(name));
}

const PHASE_RULES: readonly Rule[] = Object.entries(MUJOCO_PHASES).flatMap(([phase, names]) => {
  const own = ownNames(names);
  const example = own.find((name) => name.startsWith('mj')) ?? '';
  return [
    {
      id: `mujoco/phase-${phase}`,
      bucket: 'physics',
      kind: phase,
      match: { name: names, module: LIBRARY },
      why: 'Only this phase of a step can reach these functions, so a leaf in one tells the phase.',
      hits: [
        `${STEP};${example} ${LIB}`,
        `${STEP};${example}.llvm.8712398215924899088 ${LIB};0x7fd53598b893 (libc.so.6)`,
        `${STEP};${example}.constprop.0.isra.0 ${LIB}`,
        `${STEP};${example}.part.1.cold ${LIB}`,
        `main (sim);mj_step ${LIB};mj_forward ${LIB};${example}@plt ${LIB};mju_dot ${LIB}`,
      ],
      misses: [`${STEP};mju_dot ${LIB}`],
    },
    {
      id: `mujoco/phase-${phase}-by-name`,
      bucket: 'physics',
      kind: phase,
      match: { name: own, kind: NATIVE },
      why: 'MuJoCo linked into the program itself, or a file that names no libraries: its own prefixes are proof enough.',
      hits: [`main;simulate;mj_step;${example}`, `main (sim);${example} (simulate)`],
      misses: ['main;simulate;mju_dot', `main (x.py:1);${example} (x.py:3)`],
    },
  ];
});

const PHYSICS_RULES: readonly Rule[] = [
  {
    id: 'mujoco/leaf-under-cast-function',
    bucket: 'raycast',
    match: { module: [LIBRARY, 'mujoco/_functions*'] },
    fromLine: CAST_FUNCTION,
    label: { from: 'caller', match: SENSOR },
    why: 'The engine, beneath a function that by its name casts rays and whose line is unknown.',
    hits: [
      `${CAST};mju_mulMatTVec3 ${LIB}`,
      `${CAST};0x7f03c9 (mujoco/_functions.cpython-311-x86_64-linux-gnu.so);free (libc.so.6)`,
    ],
    misses: [`${STEP};mju_mulMatTVec3 ${LIB}`, 'main (x.py:1);cast (ctypes/__init__.py:510)'],
  },
  {
    id: 'mujoco/entry',
    bucket: 'physics',
    match: {
      name: [
        'mj_step',
        'mj_step1',
        'mj_step2',
        'mj_stepSkip',
        'mj_forward',
        'mj_forwardSkip',
        'mj_inverse',
        'mj_inverseSkip',
      ],
      kind: NATIVE,
    },
    notUnder: PHASE_NAMES,
    why: 'The entry points of the dynamics; what is beneath them and not told apart is physics.',
    hits: [
      'run (bridge.py:78);step (bridge.py:41);mj_step (libmujoco.so.3.2.0)',
      'run (bridge.py:78);step (bridge.py:41);mj_step (mujoco/_functions.so);mj_forward (libmujoco.so.3.2.0)',
    ],
    misses: ['main (x.py:1);mj_step (wrapper.py:3)'],
  },
  {
    id: 'mujoco/shared-leaf',
    bucket: 'physics',
    kind: 'ambiguous',
    match: { module: LIBRARY },
    notUnder: PHASE_NAMES,
    why: 'Several phases share this function or nothing names it, and native stacks seldom show its caller: up to half of all physics samples stand in such leaves.',
    hits: [
      `${STEP};mj_solveLD ${LIB}`,
      `${STEP};mj_solveLD.part.0 ${LIB}`,
      `${STEP};0x7f03c971ce50 ${LIB}`,
      `${STEP};[unknown] ${LIB}`,
      'python;[libmujoco.so.4.0.0] (libmujoco.so.4.0.0)',
    ],
    misses: [`${STEP};mj_instantiateContact ${LIB};0x7f03c971ce50 ${LIB}`, `${RAY_LINE};mju_dot3 ${LIB}`],
  },
  {
    id: 'mujoco/name',
    bucket: 'physics',
    kind: 'ambiguous',
    match: { name: ['mj_*', 'mju_*', 'mjc_*', 'mjd_*'], kind: NATIVE },
    notUnder: PHASE_NAMES,
    why: 'A file without libraries, or a program that holds MuJoCo itself: the prefixes of the engine are all there is.',
    hits: ['main;simulate;mju_dot', 'main (sim);mju_dot (simulate)'],
    misses: [
      'main;simulate;mjr_render',
      'main (x.py:1);mj_helper (x.py:3)',
      'main;simulate;mj_collision;mju_dot',
    ],
  },
  {
    id: 'mujoco/binding',
    bucket: 'physics',
    match: { module: ['mujoco/_functions*', 'mujoco/_callbacks*'] },
    fromLine: { kind: 'python', sourceKnown: false },
    why: 'The binding that calls the engine, beneath a line whose text is unknown, mostly enters or leaves mj_step.',
    hits: [
      `${STEP};0x7f03c91ec5f1 (mujoco/_callbacks.cpython-311-x86_64-linux-gnu.so);clock_gettime (libc.so.6)`,
      `${STEP};0x7fd5 (mujoco/_functions.cpython-311-x86_64-linux-gnu.so);0x7fd5358abcae (libc.so.6)`,
    ],
    misses: [`${RAY_LINE};0x7fd5 (mujoco/_functions.cpython-311-x86_64-linux-gnu.so)`],
  },
];

export const MUJOCO: RulePack = {
  id: 'mujoco',
  dated: '2026-11-29',
  title: 'MuJoCo: call sites in Python, native leaves by phase, rays, rendering',
  checked: {
    program: 'MuJoCo',
    library: 'libmujoco',
    versions: MUJOCO_CHECKED,
    bucket: 'physics',
    phases: Object.keys(MUJOCO_PHASES),
    shared: 'ambiguous',
  },
  // Who makes the halves of a step calls the second for each.
  steps: [{ file: 'libmujoco', symbols: ['mj_step', 'mj_step2'] }],
  rules: [...CALL_SITES, ...RAY_RULES, ...RENDER_RULES, ...PHASE_RULES, ...PHYSICS_RULES],
};
