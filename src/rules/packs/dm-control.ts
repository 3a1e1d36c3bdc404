import type { Rule, RulePack } from '../rule.js';

const ENGINE = 'dm_control/mujoco/engine.py';
const MAIN = '<module> (run.py:20);main (run.py:14)';
const ENV = `${MAIN};Environment.step (dm_control/rl/control.py:106)`;
const COMPOSER = `${MAIN};Environment.step (dm_control/composer/environment.py:430)`;
const PHYSICS_STEP = `${ENV};Physics.step (dm_control/mujoco/engine.py:174)`;
const STEP_NAMES = ['Physics.step', 'Physics._step_with_up_to_date_position_velocity'];
const HOOKS = [
  'initialize_episode_mjcf',
  'after_compile',
  'initialize_episode',
  'before_step',
  'before_substep',
  'after_substep',
  'after_step',
] as const;

const PHYSICS: readonly Rule[] = [
  {
    id: 'dm-control/step-unknown',
    bucket: 'physics',
    match: { name: STEP_NAMES, file: ENGINE, sourceKnown: false },
    leaf: true,
    why: 'C calls leave no frame, so this function as the leaf is mostly mj_step, mj_step1 or mj_step2; without the text of the line its own few lines count with it.',
    hits: [
      `${PHYSICS_STEP};Physics._step_with_up_to_date_position_velocity (dm_control/mujoco/engine.py:158)`,
      PHYSICS_STEP,
    ],
    misses: [
      `${PHYSICS_STEP};Physics._step_with_up_to_date_position_velocity (dm_control/mujoco/engine.py:158) #mujoco.mj_step(self.model.ptr, self.data.ptr, nstep-1)`,
      `${MAIN};Physics.step (my/engine.py:174)`,
    ],
  },
  {
    id: 'dm-control/forward-unknown',
    bucket: 'physics',
    kind: 'forward',
    match: { name: 'Physics.forward', file: ENGINE, sourceKnown: false },
    leaf: true,
    why: 'As the leaf this function is mj_forward, which a reset and a set state call.',
    hits: [`${MAIN};Physics.forward (dm_control/mujoco/engine.py:343)`],
    misses: [`${MAIN};Physics.forward (my/engine.py:343)`],
  },
  {
    id: 'dm-control/check',
    bucket: 'physics',
    kind: 'check',
    match: {
      name: ['Physics.check_invalid_state', 'check_divergence', 'Physics.suppress_physics_errors'],
      file: 'dm_control/{mujoco/engine,rl/control}.py',
    },
    why: 'Warnings of the engine and bad numbers are looked for after each step, in Python.',
    hits: [
      `${ENV};Physics.step (dm_control/mujoco/engine.py:172);_GeneratorContextManager.__exit__ (contextlib.py:144);Physics.check_invalid_state (dm_control/mujoco/engine.py:359)`,
    ],
    misses: [PHYSICS_STEP],
  },
  {
    id: 'dm-control/step-wrapping',
    bucket: 'python',
    kind: 'wrapping',
    match: { name: STEP_NAMES, file: ENGINE },
    why: 'What the step of the Python class does around the engine: context managers, attributes of the wrapped model.',
    hits: [
      `${PHYSICS_STEP} #self._step_with_up_to_date_position_velocity(nstep)`,
      `${PHYSICS_STEP};MjModel.opt (dm_control/mujoco/wrapper/core.py:245)`,
    ],
    misses: [PHYSICS_STEP],
  },
];

const SHOWING: readonly Rule[] = [
  {
    id: 'dm-control/render',
    bucket: 'render',
    match: {
      name: [
        'Physics.render',
        'Camera.render',
        'Camera.update',
        'Camera._render_on_gl_thread',
        '_render_on_gl_thread',
      ],
      file: ENGINE,
    },
    why: 'An image is drawn off screen.',
    remedy: {
      text: 'Leave camera observables out or give them a larger update_interval, and set MUJOCO_GL=egl where there is a GPU.',
      source: 'dm_control, composer observables and rendering',
      above: 0.1,
    },
    hits: [
      `${MAIN};Physics.render (dm_control/mujoco/engine.py:220);Camera.render (dm_control/mujoco/engine.py:900)`,
    ],
    misses: [`${MAIN};Camera.render (my/engine.py:900)`],
  },
  {
    id: 'dm-control/gl-executor',
    bucket: 'render',
    match: { file: 'dm_control/_render/' },
    why: 'The call is handed to the thread that owns the OpenGL context, and waits for it.',
    hits: [
      `${MAIN};Camera.render (dm_control/mujoco/engine.py:900);call (dm_control/_render/executor/render_executor.py:200);result (concurrent/futures/_base.py:451);wait (threading.py:331)`,
    ],
    misses: [`${MAIN};call (my/_render/executor.py:3)`],
  },
  {
    id: 'dm-control/viewer',
    bucket: 'render',
    kind: 'viewer',
    match: { file: 'dm_control/viewer/' },
    notUnder: { file: 'dm_control/{rl/control,composer/environment}.py' },
    why: 'The interactive viewer draws, and paces the loop while it does.',
    hits: [`${MAIN};tick (dm_control/viewer/application.py:300)`],
    misses: [`${MAIN};tick (my/viewer/application.py:300)`],
  },
];

const ENVIRONMENT: readonly Rule[] = [
  {
    id: 'dm-control/observables',
    bucket: 'plugin',
    kind: 'observation',
    match: { file: ['dm_control/composer/observation/'] },
    why: 'Observables of the composer are read, buffered and aggregated; physics steps between them.',
    hits: [`${COMPOSER};Updater.update (dm_control/composer/observation/updater.py:285)`],
    misses: [COMPOSER],
  },
  {
    id: 'dm-control/observation',
    bucket: 'plugin',
    kind: 'observation',
    match: { name: ['get_observation', '_observation_*'], file: 'dm_control/' },
    why: 'The task reads its observations, field by field through named indexing.',
    remedy: {
      text: 'Bind the fields that a task reads once (physics.bind, numpy views) instead of looking names up in physics.named.data each step.',
      source: 'dm_control, dm_control/mujoco/index.py: names are converted at each access',
      above: 0.1,
    },
    hits: [
      `${ENV};Humanoid.get_observation (dm_control/suite/humanoid.py:177);FieldIndexer.__getitem__ (dm_control/mujoco/index.py:516)`,
    ],
    misses: [`${ENV};Humanoid.get_observation (my/humanoid.py:177)`],
  },
  {
    id: 'dm-control/reward',
    bucket: 'plugin',
    kind: 'reward',
    match: { name: ['get_reward', 'get_reward_factors'], file: 'dm_control/' },
    why: 'The task works its reward out.',
    hits: [
      `${ENV};Humanoid.get_reward (dm_control/suite/humanoid.py:185);tolerance (dm_control/utils/rewards.py:132)`,
    ],
    misses: [PHYSICS_STEP],
  },
  {
    id: 'dm-control/termination',
    bucket: 'plugin',
    kind: 'termination',
    match: { name: ['get_termination', 'should_terminate_episode', 'get_discount'], file: 'dm_control/' },
    why: 'The task decides whether the episode ends.',
    hits: [`${ENV};Walker.get_termination (dm_control/suite/walker.py:80)`],
    misses: [PHYSICS_STEP],
  },
  {
    id: 'dm-control/hook',
    bucket: 'plugin',
    kind: 'hook',
    match: { name: HOOKS, file: 'dm_control/' },
    why: 'Hooks of task and entities before and after steps and substeps; they run in Python, once a substep.',
    hits: [
      `${COMPOSER};_EnvironmentHooks.before_substep (dm_control/composer/environment.py:143)`,
      `${ENV};Humanoid.before_step (dm_control/suite/base.py:73);Physics.set_control (dm_control/mujoco/engine.py:139)`,
    ],
    misses: [PHYSICS_STEP],
  },
  {
    id: 'dm-control/task-method',
    bucket: 'plugin',
    kind: 'task',
    match: { name: ['get_observation', 'get_reward', 'get_termination', ...HOOKS] },
    under: { name: ['step', '_substep', 'reset'], file: 'dm_control/{rl/control,composer/environment}.py' },
    why: 'A task, entity or hook of your own, which the environment calls.',
    hits: [`${ENV};Reach.get_observation (my_task/reach.py:30)`],
    misses: [`${MAIN};Reach.get_observation (my_task/reach.py:30)`],
  },
  {
    id: 'dm-control/reset',
    bucket: 'plugin',
    kind: 'reset',
    match: {
      name: ['reset', '_reset_attempt', 'reset_context'],
      file: 'dm_control/{rl/control,composer/environment}.py',
    },
    why: 'An episode begins; a composer environment compiles its model anew for it.',
    hits: [`${MAIN};Environment.reset (dm_control/composer/environment.py:365)`],
    misses: [COMPOSER],
  },
  {
    id: 'dm-control/loop',
    bucket: 'python',
    kind: 'environment',
    match: { name: ['step', '_substep'], file: 'dm_control/{rl/control,composer/environment}.py' },
    why: 'The step of the environment itself: time steps, dictionaries, dispatch.',
    hits: [ENV, COMPOSER],
    misses: [PHYSICS_STEP],
  },
];

export const DM_CONTROL: RulePack = {
  id: 'dm-control',
  dated: '2026-11-30',
  title: 'dm_control: physics class, suite and composer tasks, observables, rendering',
  source: 'dm_control 1.0.50',
  tested: 'dm_control 1.0.50 with MuJoCo 3.17.0, CPython 3.11 (suite and composer; rendering not)',
  rules: [...PHYSICS, ...SHOWING, ...ENVIRONMENT],
};
