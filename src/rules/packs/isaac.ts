import { SENSOR } from '../known-frames.js';
import type { Rule, RulePack } from '../rule.js';

/** Packages of Isaac Lab 2 and 3: `isaaclab`, `isaaclab_physx`, `isaaclab_newton`; `omni/isaac/lab` before. */
const LAB = '{isaaclab,isaaclab_physx,isaaclab_newton,isaaclab_ov,isaaclab_visualizers}';
const ENVS = ['isaaclab/envs/', 'omni/isaac/lab/envs/'];
const PHYSICS_MANAGERS = [`${LAB}/physics/`];
const CONTEXT = 'isaaclab/sim/simulation_context.py';
/** Isaac Sim: `isaacsim/core/api/…` since 4.5, `omni/isaac/core/…` before. */
const SIM_CORE = ['isaacsim/core/api/', 'omni/isaac/core/'];
const SIM_CONTEXT = [
  'isaacsim/core/api/simulation_context/simulation_context.py',
  'omni/isaac/core/simulation_context/simulation_context.py',
  'isaacsim/core/api/world/world.py',
  'omni/isaac/core/world/world.py',
];
const RAY_FILES = [
  `${LAB}/sensors/ray_caster/`,
  'isaaclab/utils/warp/',
  'omni/isaac/lab/sensors/ray_caster/',
];

const MAIN = '<module> (train.py:200);main (train.py:150)';
const ENV = `${MAIN};ManagerBasedRLEnv.step (isaaclab/envs/manager_based_rl_env.py:180)`;
const STEP = `${ENV};SimulationContext.step (isaaclab/sim/simulation_context.py:600);PhysxManager.step (isaaclab_physx/physics/physx_manager.py:300)`;
const MANAGER = (name: string, method: string): string =>
  `${ENV};${method} (isaaclab/managers/${name}_manager.py:150)`;

/** Managers and what they do for a step. */
const MANAGERS: readonly {
  readonly id: string;
  readonly stems: string;
  readonly example: string;
  readonly why: string;
}[] = [
  {
    id: 'action',
    stems: 'action_manager',
    example: MANAGER('action', 'ActionManager.process_action'),
    why: 'Actions are processed, and applied once a physics step.',
  },
  {
    id: 'reward',
    stems: 'reward_manager',
    example: MANAGER('reward', 'RewardManager.compute'),
    why: 'Terms of the reward are computed.',
  },
  {
    id: 'termination',
    stems: 'termination_manager',
    example: MANAGER('termination', 'TerminationManager.compute'),
    why: 'Terms that end an episode are computed.',
  },
  {
    id: 'observation',
    stems: 'observation_manager',
    example: MANAGER('observation', 'ObservationManager.compute'),
    why: 'Terms of the observation are computed; sensors that they ask for are updated there.',
  },
  {
    id: 'command',
    stems: '{command,curriculum}_manager',
    example: MANAGER('command', 'CommandManager.compute'),
    why: 'Commands and curricula are brought up to date.',
  },
  {
    id: 'event',
    stems: 'event_manager',
    example: MANAGER('event', 'EventManager.apply'),
    why: 'Randomisation at intervals and at resets.',
  },
];

const PHYSICS: readonly Rule[] = [
  {
    id: 'isaac/physx-wait',
    bucket: 'physics',
    kind: 'gpu-wait',
    match: { source: ['physx*.fetch_results(', 'gym.fetch_results('] },
    leaf: true,
    blocks: 'wait',
    why: 'The CPU waits here for PhysX to finish the step, on the GPU or in its own threads: the whole step lands on this line.',
    remedy: {
      text: 'This is the time of the physics itself: fewer contacts, solver iterations or substeps make it shorter, a faster Python loop does not.',
      source: 'Omniverse PhysX, simulate and fetch_results',
      above: 0.1,
    },
    hits: [`${STEP} #self._physx_sim.fetch_results()`, `${MAIN} #self.gym.fetch_results(self.sim, True)`],
    misses: [`${STEP} #self._physx_sim.simulate(dt, t)`, `${MAIN} #rows = db.fetch_results()`],
  },
  {
    id: 'isaac/manager-wait',
    bucket: 'physics',
    kind: 'gpu-wait',
    match: { file: PHYSICS_MANAGERS, source: 'fetch_results(' },
    leaf: true,
    blocks: 'wait',
    why: 'The backend of Isaac Lab waits for the step to finish.',
    hits: [`${STEP} #cls._sim.fetch_results()`],
    misses: [`${STEP} #cls._sim.simulate(dt, t)`, `${MAIN} #rows = db.fetch_results()`],
  },
  {
    id: 'isaac/physx-line',
    bucket: 'physics',
    match: { source: ['physx*.simulate(', 'gym.simulate('] },
    leaf: true,
    why: 'The line starts a step of PhysX.',
    hits: [`${STEP} #self._physx_sim.simulate(dt, t)`, `${MAIN} #self.gym.simulate(self.sim)`],
    misses: [`${STEP} #self._physx_sim.fetch_results()`, `${MAIN} #model.simulate(dt)`],
  },
  {
    id: 'isaac/physics-manager',
    bucket: 'physics',
    match: { file: PHYSICS_MANAGERS },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'The physics backend of Isaac Lab steps: PhysX, or Newton with its solvers; as the leaf it mostly waits in fetch_results.',
    hits: [
      STEP,
      `${ENV};NewtonManager.step (isaaclab_newton/physics/newton_manager.py:200);capture_launch (torch/x.py:3)`,
    ],
    misses: [`${MAIN};step (my/physics/manager.py:3)`],
  },
  {
    id: 'isaac/physx-native',
    bucket: 'physics',
    match: { name: ['physx::*', 'omni::physx::*'], kind: ['native', 'unknown'] },
    why: 'PhysX works on this thread, or on one of its own.',
    hits: ['worker (kit);physx::Sc::Scene::collide (libPhysX_64.so)'],
    misses: ['worker (kit);carb::tasking::run (libcarb.tasking.plugin.so)'],
  },
  {
    id: 'isaac/scene-write',
    bucket: 'physics',
    kind: 'write',
    match: {
      name: ['write_data_to_sim', 'write_*_to_sim', '_apply_actuator_model', 'compute'],
      file: [`${LAB}/{assets,actuators}/`],
    },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'Targets and states are written into the simulation, actuator models computed first.',
    hits: [
      `${ENV};InteractiveScene.write_data_to_sim (isaaclab/scene/interactive_scene.py:400);Articulation.write_data_to_sim (isaaclab_physx/assets/articulation/articulation.py:200)`,
    ],
    misses: [STEP],
  },
  {
    id: 'isaac/scene-update',
    bucket: 'physics',
    kind: 'read',
    match: { file: [`${LAB}/{scene,assets,actuators,scene_data_providers}/`] },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'Buffers of assets are read and written around the step; the first read waits for the GPU.',
    hits: [
      `${ENV};InteractiveScene.update (isaaclab/scene/interactive_scene.py:450);ArticulationData.update (isaaclab_physx/assets/articulation/articulation_data.py:90)`,
    ],
    misses: [STEP],
  },
];

const SENSING: readonly Rule[] = [
  {
    id: 'isaac/ray',
    bucket: 'raycast',
    match: { file: RAY_FILES },
    whenBlocked: { kind: 'gpu-wait' },
    label: { from: 'caller', match: SENSOR },
    why: 'Rays are cast against meshes with Warp; raycast_mesh waits for the GPU before it returns, so work that was launched before counts here too.',
    remedy: {
      text: 'Cast fewer rays or update the sensor less often (update_period).',
      source: 'Isaac Lab, SensorBaseCfg.update_period',
      above: 0.1,
    },
    hits: [
      `${MANAGER('observation', 'ObservationManager.compute')};RayCaster._update_buffers_impl (isaaclab/sensors/ray_caster/ray_caster.py:250);raycast_mesh (isaaclab/utils/warp/ops.py:100);synchronize (warp/_src/context.py:12665)`,
    ],
    misses: [`${MAIN};raycast_mesh (my/warp/ops.py:3)`],
  },
  {
    id: 'isaac/camera',
    bucket: 'render',
    kind: 'camera',
    match: { file: [`${LAB}/sensors/camera/`, `${LAB}/renderers/`, 'omni/replicator/'] },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'Camera images are drawn, or fetched from the annotators.',
    hits: [
      `${MANAGER('observation', 'ObservationManager.compute')};TiledCamera._update_buffers_impl (isaaclab/sensors/camera/tiled_camera.py:200)`,
    ],
    misses: [`${MAIN};render (my/sensors/camera/x.py:3)`],
  },
  {
    id: 'isaac/sensor',
    bucket: 'plugin',
    kind: 'sensor',
    match: { file: [`${LAB}/sensors/`, 'omni/isaac/lab/sensors/', 'isaacsim/sensors/'] },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'Other sensors: contacts, inertial units, frames.',
    hits: [
      `${ENV};ContactSensor._update_buffers_impl (isaaclab_physx/sensors/contact_sensor/contact_sensor.py:300)`,
    ],
    misses: [`${MAIN};update (my/sensors/contact.py:3)`],
  },
  {
    id: 'isaac/render',
    bucket: 'render',
    match: {
      name: ['render', 'update_visualizers', 'render_mode*', 'forward'],
      file: [CONTEXT, 'omni/isaac/lab/sim/simulation_context.py', ...SIM_CONTEXT],
    },
    why: 'The app is updated: RTX draws, and the extensions of Kit run.',
    remedy: {
      text: 'Run headless, raise render_interval, or disable what draws: app.update runs the whole of Kit once.',
      source: 'Isaac Lab, SimulationCfg.render_interval',
      above: 0.1,
    },
    hits: [
      `${ENV};SimulationContext.render (isaaclab/sim/simulation_context.py:700);update (omni/kit/app/app.py:3)`,
    ],
    misses: [STEP],
  },
  {
    id: 'isaac/visualizer',
    bucket: 'render',
    kind: 'viewer',
    match: { file: ['isaaclab_visualizers/', 'isaaclab/visualizers/', 'isaaclab/markers/'] },
    why: 'A viewer beside Kit (Newton, Rerun, Viser) or markers are drawn.',
    hits: [`${ENV};NewtonVisualizer.step (isaaclab_visualizers/newton/newton_visualizer.py:200)`],
    misses: [`${MAIN};step (my/visualizers/x.py:3)`],
  },
  {
    id: 'isaac/app-update',
    bucket: 'render',
    kind: 'app',
    match: {
      name: ['SimulationApp.update', 'update'],
      file: [
        'isaacsim/simulation_app/',
        'isaacsim/exts/isaacsim.simulation_app/',
        'omni/isaac/kit/simulation_app.py',
      ],
    },
    why: 'One update of the Kit app: it steps physics where the timeline plays, draws, and runs all extensions.',
    hits: [`${MAIN};SimulationApp.update (isaacsim/simulation_app/simulation_app.py:600)`],
    misses: [`${MAIN};update (my/simulation_app.py:3)`],
  },
  {
    id: 'isaac/app-update-line',
    bucket: 'render',
    kind: 'app',
    match: {
      source: ['simulation_app.update(', 'get_app().update('],
    },
    leaf: true,
    why: 'The line updates the Kit app: it steps physics where the timeline plays, draws, and runs all extensions.',
    hits: [`${MAIN} #simulation_app.update()`, `${MAIN} #omni.kit.app.get_app().update()`],
    misses: [`${MAIN} #self.table.update(rows)`],
  },
];

const WAITING: readonly Rule[] = [
  {
    id: 'isaac/wait-for-viewer',
    bucket: 'idle',
    kind: 'paused',
    match: {
      name: ['wait_for_playing', '_wait_for_visualizer_step'],
      file: [CONTEXT, ...PHYSICS_MANAGERS, 'isaaclab/'],
    },
    why: 'The simulation is paused, and waits until somebody plays it on.',
    hits: [
      `${ENV};SimulationContext.wait_for_playing (isaaclab/sim/simulation_context.py:500);update (omni/kit/app/app.py:3)`,
    ],
    misses: [STEP],
  },
  {
    id: 'isaac/gpu-read',
    bucket: 'physics',
    kind: 'gpu-wait',
    match: {
      file: [...ENVS, 'isaaclab_rl/', 'isaaclab_tasks/'],
      source: ['.nonzero(', '.item(', '.cpu(', '.tolist(', 'torch.cuda.synchronize('],
    },
    leaf: true,
    blocks: 'wait',
    why: 'The first line that needs a value from the GPU waits for all that was launched before; in the loop of an environment that is mostly physics.',
    hits: [`${ENV} #reset_env_ids = self.reset_buf.nonzero(as_tuple=False).squeeze(-1)`],
    misses: [`${MAIN} #loss.item()`],
  },
];

const ENVIRONMENT: readonly Rule[] = [
  ...MANAGERS.map(({ id, stems, example, why }): Rule => ({
    id: `isaac/${id}-manager`,
    bucket: 'plugin',
    kind: id,
    match: { file: [`isaaclab/managers/${stems}.py`, `omni/isaac/lab/managers/${stems}.py`] },
    whenBlocked: { kind: 'gpu-wait' },
    why,
    hits: [example, `${example};term (isaaclab_tasks/my_task/mdp/terms.py:30)`],
    misses: [STEP, `${MAIN};compute (my/managers/${id}_manager.py:3)`],
  })),
  {
    id: 'isaac/reset',
    bucket: 'plugin',
    kind: 'reset',
    match: { name: ['_reset_idx', 'reset'], file: ENVS },
    why: 'Environments whose episode has ended begin anew.',
    hits: [`${ENV};ManagerBasedRLEnv._reset_idx (isaaclab/envs/manager_based_rl_env.py:370)`],
    misses: [ENV],
  },
  {
    id: 'isaac/direct-task',
    bucket: 'plugin',
    kind: 'task',
    match: {
      name: [
        '_pre_physics_step',
        '_apply_action',
        '_get_observations',
        '_get_rewards',
        '_get_dones',
        '_get_states',
      ],
    },
    under: { file: ENVS },
    why: 'A task of the direct workflow, whose methods the environment calls.',
    hits: [
      `${MAIN};DirectRLEnv.step (isaaclab/envs/direct_rl_env.py:300);CartpoleEnv._get_rewards (isaaclab_tasks/direct/cartpole/cartpole_env.py:90)`,
    ],
    misses: [`${MAIN};_get_rewards (my_task.py:90)`],
  },
  {
    id: 'isaac/environment',
    bucket: 'python',
    kind: 'environment',
    match: { file: ENVS },
    why: 'The step of the environment itself: loops over the decimation, buffers, dispatch.',
    hits: [ENV],
    misses: [STEP],
  },
  {
    id: 'isaac/context',
    bucket: 'physics',
    match: {
      name: ['step', '_step*', 'World.step'],
      file: [CONTEXT, 'omni/isaac/lab/sim/simulation_context.py', ...SIM_CONTEXT],
    },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'The simulation context steps; with rendering in the same call both are in there, and only a nearer frame tells them apart.',
    hits: [
      `${ENV};SimulationContext.step (isaaclab/sim/simulation_context.py:600)`,
      `${MAIN};World.step (isaacsim/core/api/world/world.py:400);SimulationContext.step (isaacsim/core/api/simulation_context/simulation_context.py:700)`,
    ],
    misses: [STEP],
  },
  {
    id: 'isaac/core',
    bucket: 'plugin',
    kind: 'core',
    match: { file: SIM_CORE },
    whenBlocked: { kind: 'gpu-wait' },
    why: 'Robots, articulations and prims of Isaac Sim are read and written from Python.',
    hits: [`${MAIN};Articulation.get_joint_positions (isaacsim/core/api/articulations/articulation.py:100)`],
    misses: [`${MAIN};World.step (isaacsim/core/api/world/world.py:400)`],
  },
];

export const ISAAC: RulePack = {
  id: 'isaac',
  dated: '2026-11-30',
  title:
    'Isaac Lab and Isaac Sim: environments, managers, PhysX and Newton backends, sensors, Kit; where the GPU wait lands',
  source: 'Isaac Lab 3 (development, August 2026); Isaac Sim by its documentation',
  tested: false,
  rules: [...WAITING, ...PHYSICS, ...SENSING, ...ENVIRONMENT],
};
