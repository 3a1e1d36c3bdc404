import type { Rule, RulePack } from '../rule.js';

const SIMULATION = 'flygym/simulation.py';

const MAIN = '<module> (replay.py:155);main (replay.py:142);loop (replay.py:85)';
const STEP = `${MAIN};Simulation.step_with_profile (flygym/simulation.py:121);Simulation.step (flygym/simulation.py:106)`;

const RULES: readonly Rule[] = [
  {
    id: 'flygym/step-unknown',
    bucket: 'physics',
    match: { name: 'step', file: SIMULATION, sourceKnown: false },
    leaf: true,
    why: 'This function is one line, which calls mj_step.',
    hits: [STEP],
    misses: [
      `${STEP} #mj.mj_step(self.mj_model, self.mj_data)`,
      `${MAIN};Simulation.step (my/simulation.py:106)`,
    ],
  },
  {
    id: 'flygym/forward-unknown',
    bucket: 'physics',
    kind: 'forward',
    match: { name: 'forward', file: SIMULATION, sourceKnown: false },
    leaf: true,
    why: 'This function is one line, which calls mj_forward.',
    hits: [`${MAIN};Simulation.forward (flygym/simulation.py:116)`],
    misses: [`${MAIN};Simulation.forward (my/simulation.py:116)`],
  },
  {
    id: 'flygym/render',
    bucket: 'render',
    match: { name: ['render_as_needed', 'render_as_needed_with_profile'], file: SIMULATION },
    why: 'Whether a frame is due is asked after each step; where one is, it is drawn.',
    remedy: {
      text: 'Give set_renderer a higher playback_speed or a lower output_fps, fewer cameras or a smaller camera_res; or record with set_trajectory_recorder and draw after the run.',
      source: 'FlyGym 2.1.1, flygym/simulation.py and flygym/recording.py',
      above: 0.1,
    },
    hits: [`${MAIN};Simulation.render_as_needed_with_profile (flygym/simulation.py:177)`],
    misses: [`${MAIN};Simulation.render_as_needed (my/simulation.py:170)`, STEP],
  },
  {
    id: 'flygym/renderer',
    bucket: 'render',
    match: { file: 'flygym/rendering.py' },
    why: 'Copies the state, draws it for each camera and keeps the frame.',
    hits: [
      `${MAIN};Simulation.render_as_needed (flygym/simulation.py:170);FrameClock.tick (flygym/rendering.py:82)`,
    ],
    misses: [`${MAIN};Renderer.render_as_needed (my/rendering.py:258)`],
  },
  {
    id: 'flygym/vision',
    bucket: 'plugin',
    kind: 'vision',
    match: { file: 'flygym/vision/' },
    why: 'The image of an eye is made into what its ommatidia see.',
    hits: [`${MAIN};Retina.raw_image_to_hex_pxls (flygym/vision/retina.py:60)`],
    misses: [`${MAIN};Retina.raw_image_to_hex_pxls (my/vision/retina.py:60)`],
  },
  {
    id: 'flygym/observation',
    bucket: 'plugin',
    kind: 'observation',
    match: { name: 'get_*', file: SIMULATION },
    why: 'The loop reads joints, bodies, forces or contacts, each as a copy.',
    hits: [
      `${MAIN};Simulation.get_joint_angles (flygym/simulation.py:223)`,
      `${MAIN};Simulation.get_body_positions (flygym/simulation.py:250);einsum (numpy/_core/einsumfunc.py:1423)`,
    ],
    misses: [`${MAIN};Simulation.get_joint_angles (my/simulation.py:223)`, STEP],
  },
  {
    id: 'flygym/action',
    bucket: 'plugin',
    kind: 'action',
    match: { name: ['set_actuator_inputs', 'set_leg_adhesion_states', 'set_tendon_*'], file: SIMULATION },
    why: 'The loop writes what actuators are to do.',
    hits: [`${MAIN};Simulation.set_actuator_inputs (flygym/simulation.py:437)`],
    misses: [`${MAIN};Simulation.set_renderer (flygym/simulation.py:157)`],
  },
  {
    id: 'flygym/loop',
    bucket: 'python',
    match: { name: ['step_with_profile', 'warmup'], file: SIMULATION },
    leaf: true,
    why: 'What FlyGym does around mj_step, its own clock among it.',
    hits: [`${MAIN};Simulation.step_with_profile (flygym/simulation.py:121)`],
    misses: [`${STEP} #mj.mj_step(self.mj_model, self.mj_data)`, STEP],
  },
];

export const FLYGYM: RulePack = {
  id: 'flygym',
  dated: '2026-11-30',
  title: 'FlyGym: stepping, rendering, observation, action, vision',
  source: 'FlyGym 2.1.1',
  tested: 'FlyGym 2.1.1 with MuJoCo 3.16.0, CPython 3.12, on the CPU (vision not)',
  rules: RULES,
};
