import type { FramePattern, Rule, RulePack } from '../rule.js';

const ENVS = ['gymnasium/envs/mujoco/', 'gym/envs/mujoco/'];
const ENV_FILE = ['gymnasium/envs/mujoco/mujoco_env.py', 'gym/envs/mujoco/mujoco_env.py'];
const RENDERING = ['gymnasium/envs/mujoco/mujoco_rendering.py', 'gym/envs/mujoco/mujoco_rendering.py'];
const STEP: FramePattern = { name: '_step_mujoco_simulation', file: ENV_FILE };

const MAIN = '<module> (train.py:23);main (train.py:15)';
const ENV = `${MAIN};OrderEnforcing.step (gymnasium/wrappers/common.py:424);AntEnv.step (gymnasium/envs/mujoco/ant_v5.py:350)`;
const SIMULATE = `${ENV};MujocoEnv.do_simulation (gymnasium/envs/mujoco/mujoco_env.py:202);MujocoEnv._step_mujoco_simulation (gymnasium/envs/mujoco/mujoco_env.py:150)`;

const RULES: readonly Rule[] = [
  {
    id: 'gymnasium/step-unknown',
    bucket: 'physics',
    match: { ...STEP, sourceKnown: false },
    leaf: true,
    why: 'This function as the leaf is mj_step with its frame skip, and mj_rnePostConstraint after it.',
    hits: [SIMULATE],
    misses: [
      `${SIMULATE} #mujoco.mj_step(self.model, self.data, nstep=n_frames)`,
      `${MAIN};_step_mujoco_simulation (my/mujoco_env.py:150)`,
    ],
  },
  {
    id: 'gymnasium/forward-unknown',
    bucket: 'physics',
    kind: 'forward',
    match: { name: 'set_state', file: ENV_FILE, sourceKnown: false },
    leaf: true,
    why: 'As the leaf this function is mj_forward, which each reset calls.',
    hits: [`${MAIN};MujocoEnv.set_state (gymnasium/envs/mujoco/mujoco_env.py:142)`],
    misses: [`${MAIN};MujocoEnv.set_state (my/mujoco_env.py:142)`],
  },
  {
    id: 'gymnasium/render',
    bucket: 'render',
    match: { file: RENDERING },
    why: 'A viewer or an off-screen context draws; with a window it also waits for the screen.',
    hits: [`${MAIN};OffScreenViewer.render (gymnasium/envs/mujoco/mujoco_rendering.py:238)`],
    misses: [`${MAIN};OffScreenViewer.render (my/mujoco_rendering.py:238)`],
  },
  {
    id: 'gymnasium/observation',
    bucket: 'plugin',
    kind: 'observation',
    match: { name: ['_get_obs', 'state_vector'], file: ENVS },
    why: 'The environment reads its observation.',
    hits: [
      `${ENV};AntEnv._get_obs (gymnasium/envs/mujoco/ant_v5.py:401);clip (numpy/_core/fromnumeric.py:2296)`,
    ],
    misses: [`${ENV};AntEnv._get_obs (my/ant.py:401)`],
  },
  {
    id: 'gymnasium/reward',
    bucket: 'plugin',
    kind: 'reward',
    match: { name: ['_get_rew', 'healthy_reward', 'control_cost', 'contact_cost'], file: ENVS },
    why: 'The environment works its reward out.',
    hits: [
      `${ENV};AntEnv._get_rew (gymnasium/envs/mujoco/ant_v5.py:375);sum (numpy/_core/fromnumeric.py:2425)`,
    ],
    misses: [SIMULATE],
  },
  {
    id: 'gymnasium/environment',
    bucket: 'plugin',
    kind: 'environment',
    match: { file: ENVS },
    why: 'The rest of an environment: termination, information, reset, checks of the action.',
    hits: [ENV, `${ENV};norm (numpy/linalg/_linalg.py:2768)`],
    misses: [SIMULATE],
  },
  {
    id: 'gymnasium/action-sample',
    bucket: 'plugin',
    kind: 'action',
    match: { name: 'sample', file: ['gymnasium/spaces/', 'gym/spaces/'] },
    why: 'A random action is drawn from the action space.',
    hits: [`${MAIN};Box.sample (gymnasium/spaces/box.py:455);any (numpy/_core/fromnumeric.py:2539)`],
    misses: [`${MAIN};Box.sample (my/spaces/box.py:455)`],
  },
  {
    id: 'gymnasium/wrapper',
    bucket: 'python',
    kind: 'wrapping',
    match: {
      file: [
        'gymnasium/{wrappers,utils,vector,spaces}/',
        'gymnasium/core.py',
        'gym/{wrappers,utils,vector,spaces}/',
        'gym/core.py',
      ],
    },
    leaf: true,
    why: 'Wrappers of the environment: time limits, checks, vectors.',
    remedy: {
      text: 'Pass disable_env_checker=True to gymnasium.make once the environment is known to be right.',
      source: 'Gymnasium, gymnasium.make',
      above: 0.1,
    },
    hits: [`${MAIN};TimeLimit.step (gymnasium/wrappers/common.py:130)`],
    misses: [ENV, `${MAIN};TimeLimit.step (gymnasium/wrappers/common.py:130);step (my/env.py:3)`],
  },
];

export const GYMNASIUM: RulePack = {
  id: 'gymnasium',
  dated: '2026-11-30',
  title: 'MuJoCo environments of Gymnasium: step, rendering, observation, reward, wrappers',
  source: 'Gymnasium 1.4.0',
  tested: 'Gymnasium 1.4.0 with MuJoCo 3.17.0, CPython 3.11 (rendering not)',
  rules: RULES,
};
