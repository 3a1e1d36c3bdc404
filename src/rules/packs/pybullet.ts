import { SENSOR } from '../known-frames.js';
import type { FramePattern, Rule, RulePack } from '../rule.js';

const NATIVE = ['native', 'unknown'] as const;
/** C functions of the module: `pybullet.stepSimulation(`, `p.stepSimulation(`; a wrapper in Python names them too. */
const STEP_TEXT = ['.stepSimulation('] as const;
const COLLISION_TEXT = ['.performCollisionDetection('] as const;
const RAY_TEXT = ['.rayTest(', '.rayTestBatch('] as const;
const RENDER_TEXT = ['.getCameraImage(', '.renderImage('] as const;
const STATE_TEXT = [
  '.getJointState(',
  '.getJointStates(',
  '.getJointStateMultiDof(',
  '.getJointStatesMultiDof(',
  '.getLinkState(',
  '.getLinkStates(',
  '.getBasePositionAndOrientation(',
  '.getBaseVelocity(',
  '.getContactPoints(',
  '.getClosestPoints(',
] as const;
const CONTROL_TEXT = [
  '.setJointMotorControl(',
  '.setJointMotorControl2(',
  '.setJointMotorControlArray(',
  '.setJointMotorControlMultiDof*(',
  '.applyExternalForce(',
  '.applyExternalTorque(',
  '.calculateInverseKinematics*(',
  '.calculateInverseDynamics(',
  '.calculateJacobian(',
] as const;
const STEP_NATIVE = [
  'pybullet_stepSimulation',
  'PhysicsServerCommandProcessor::processForwardDynamicsCommand',
  'btMultiBodyDynamicsWorld::*',
  'btDiscreteDynamicsWorld::*',
  'btSoftMultiBodyDynamicsWorld::*',
  'btDeformableMultiBodyDynamicsWorld::*',
  'btSimulationIslandManager*::*',
];

const MAIN = '<module> (sim.py:50);main (sim.py:40)';
const LIB = '(pybullet.cpython-311-x86_64-linux-gnu.so)';
const CAST: FramePattern = {
  name: [
    'pybullet_rayTest*',
    'BatchRayCaster::*',
    'bt*::rayTest*',
    'PhysicsServerCommandProcessor::processRequestRaycastIntersectionsCommand',
  ],
  kind: NATIVE,
};
const STEP: FramePattern = { name: STEP_NATIVE, kind: NATIVE };

const CALLS: readonly Rule[] = [
  {
    id: 'pybullet/step-line',
    bucket: 'physics',
    match: { source: STEP_TEXT },
    leaf: true,
    why: 'The module is written in C, so the step is the Python line that calls stepSimulation; it holds the GIL throughout.',
    hits: [`${MAIN} #pybullet.stepSimulation()`, `${MAIN} #self._p.stepSimulation()`],
    misses: [`${MAIN} #self.sim.step()`],
  },
  {
    id: 'pybullet/collision-line',
    bucket: 'physics',
    kind: 'collision',
    match: { source: COLLISION_TEXT },
    leaf: true,
    why: 'The line looks for contacts outside a step.',
    hits: [`${MAIN} #p.performCollisionDetection()`],
    misses: [`${MAIN} #p.stepSimulation()`],
  },
  {
    id: 'pybullet/ray-line',
    bucket: 'raycast',
    match: { source: RAY_TEXT },
    leaf: true,
    label: { from: 'caller', match: SENSOR },
    why: 'The line casts rays, and turns lists of points into arrays before it does.',
    remedy: {
      text: 'Cast all rays in one rayTestBatch with numThreads=0, which uses all CPUs, and fewer of them or less often.',
      source: 'PyBullet Quickstart Guide, rayTestBatch',
      above: 0.1,
    },
    hits: [`${MAIN} #hits = pybullet.rayTestBatch(starts, ends)`, `${MAIN} #p.rayTest(a, b)`],
    misses: [`${MAIN} #scene.ray.test(a, b)`],
  },
  {
    id: 'pybullet/camera-line',
    bucket: 'render',
    match: { source: RENDER_TEXT },
    leaf: true,
    label: { from: 'caller', match: SENSOR },
    why: 'The line renders a camera image, on the CPU unless the EGL plugin or the window of a GUI does it.',
    remedy: {
      text: 'Render smaller images or less often, leave segmentation out (ER_NO_SEGMENTATION_MASK), or load the EGL plugin where there is a GPU.',
      source: 'PyBullet Quickstart Guide, getCameraImage and eglRenderer',
      above: 0.1,
    },
    hits: [`${MAIN} #image = pybullet.getCameraImage(160, 120)`],
    misses: [`${MAIN} #image = camera.image()`],
  },
  {
    id: 'pybullet/state-line',
    bucket: 'python',
    kind: 'read',
    match: { source: STATE_TEXT },
    leaf: true,
    why: 'The line fetches state body by body and joint by joint: a command to the physics server each.',
    remedy: {
      text: 'Ask once for all joints (getJointStates) or links (getLinkStates) instead of once for each.',
      source: 'PyBullet Quickstart Guide, getJointStates',
      above: 0.05,
    },
    hits: [`${MAIN} #angle, _, _, _ = pybullet.getJointState(robot, joint)`],
    misses: [`${MAIN} #p.stepSimulation()`],
  },
  {
    id: 'pybullet/control-line',
    bucket: 'python',
    kind: 'control',
    match: { source: CONTROL_TEXT },
    leaf: true,
    why: 'The line sets targets or forces, or computes inverse kinematics or dynamics: a command to the physics server each.',
    remedy: {
      text: 'Set all joints at once with setJointMotorControlArray.',
      source: 'PyBullet Quickstart Guide, setJointMotorControlArray',
      above: 0.05,
    },
    hits: [`${MAIN} #pybullet.setJointMotorControl2(robot, joint, pybullet.POSITION_CONTROL)`],
    misses: [`${MAIN} #p.stepSimulation()`],
  },
];

const LEAVES: readonly Rule[] = [
  {
    id: 'pybullet/native-ray',
    bucket: 'raycast',
    match: CAST,
    label: { from: 'caller', match: SENSOR },
    why: 'Bullet casts a ray.',
    hits: [
      `${MAIN};pybullet_rayTestBatch ${LIB};PhysicsServerCommandProcessor::processRequestRaycastIntersectionsCommand ${LIB}`,
      `${MAIN};pybullet_rayTestBatch ${LIB};BatchRayCaster::processRay ${LIB}`,
      `${MAIN};pybullet_rayTestBatch ${LIB};BatchRayCaster::processRay ${LIB};btDbvtBroadphase::rayTest ${LIB};btConvexTriangleCallback::f ${LIB}`,
      `${MAIN};pybullet_rayTestBatch ${LIB};BatchRayCaster::processRay ${LIB};btGjkConvexCast::calcTimeOfImpact ${LIB}`,
    ],
    misses: [`${MAIN};pybullet_stepSimulation ${LIB}`],
  },
  {
    id: 'pybullet/native-render',
    bucket: 'render',
    match: {
      name: [
        'pybullet_getCameraImage',
        'PhysicsServerCommandProcessor::processRequestCameraImageCommand',
        'TinyRenderer::*',
        'TinyRendererVisualShapeConverter::*',
        'EGLRenderer*',
      ],
      kind: NATIVE,
    },
    label: { from: 'caller', match: SENSOR },
    why: 'The renderer of Bullet draws on the CPU (TinyRenderer) or through EGL.',
    hits: [
      `${MAIN};pybullet_getCameraImage ${LIB};TinyRenderer::renderObject ${LIB}`,
      `${MAIN};pybullet_getCameraImage ${LIB};PhysicsServerCommandProcessor::processRequestCameraImageCommand ${LIB};memcpy (libc.so.6)`,
    ],
    misses: [`${MAIN};pybullet_stepSimulation ${LIB}`],
  },
  {
    id: 'pybullet/native-collision',
    bucket: 'physics',
    kind: 'collision',
    match: {
      name: [
        'pybullet_performCollisionDetection',
        'PhysicsServerCommandProcessor::processPerformCollisionDetectionCommand',
        'btCollisionDispatcher*::*',
        'btCollisionWorld::performDiscreteCollisionDetection',
        'btCollisionWorld::updateAabbs',
        'btDbvtBroadphase::*',
        'btGjk*::*',
        'btConvex*Algorithm::*',
      ],
      kind: NATIVE,
    },
    notUnder: CAST,
    why: 'Broad and narrow phase of Bullet.',
    hits: [
      `${MAIN};pybullet_stepSimulation ${LIB};btCollisionDispatcher::dispatchAllCollisionPairs(btOverlappingPairCache*) ${LIB}`,
      `${MAIN};pybullet_performCollisionDetection ${LIB};PhysicsServerCommandProcessor::processPerformCollisionDetectionCommand ${LIB}`,
    ],
    misses: [`${MAIN};pybullet_rayTestBatch ${LIB};btDbvt::rayTestInternal ${LIB}`],
  },
  {
    id: 'pybullet/native-solver',
    bucket: 'physics',
    kind: 'constraint',
    match: {
      name: ['btSequentialImpulseConstraintSolver*::*', 'btMultiBodyConstraintSolver::*', 'btMLCPSolver::*'],
      kind: NATIVE,
    },
    notUnder: CAST,
    why: 'The constraint solver of Bullet.',
    hits: [
      `${MAIN};pybullet_stepSimulation ${LIB};btMultiBodyConstraintSolver::solveSingleIteration(int) ${LIB}`,
    ],
    misses: [`${MAIN};pybullet_stepSimulation ${LIB}`],
  },
  {
    id: 'pybullet/native-step',
    bucket: 'physics',
    match: STEP,
    notUnder: CAST,
    why: 'The step of Bullet; what is beneath it and not told apart is physics.',
    hits: [
      `${MAIN};pybullet_stepSimulation ${LIB};PhysicsServerCommandProcessor::processForwardDynamicsCommand ${LIB};memcpy (libc.so.6)`,
      'main (app);btMultiBodyDynamicsWorld::forwardKinematics (libBulletDynamics.so.3.25)',
    ],
    misses: [`${MAIN};pybullet_getJointState ${LIB}`],
  },
  {
    id: 'pybullet/native-command',
    bucket: 'python',
    kind: 'command',
    match: { name: ['pybullet_*', 'PhysicsServerCommandProcessor::process*'], kind: NATIVE },
    why: 'Any other command to the physics server: reading state, setting targets.',
    hits: [`${MAIN};pybullet_getJointState ${LIB}`],
    misses: [`${MAIN};pybullet_stepSimulation ${LIB}`],
  },
];

export const PYBULLET: RulePack = {
  id: 'pybullet',
  dated: '2026-11-30',
  title: 'PyBullet: lines that step, cast rays, render, read and set; native leaves of Bullet',
  source: 'PyBullet 3.2.7',
  steps: [{ file: 'pybullet', symbols: ['b3InitStepSimulationCommand'] }],
  tested: 'PyBullet 3.2.7, CPython 3.11, with and without native frames',
  rules: [...CALLS, ...LEAVES],
};
