import { PYTHON, SENSOR } from '../known-frames.js';
import type { FramePattern, Rule, RulePack } from '../rule.js';

const NATIVE = ['native', 'unknown'] as const;
const ADVANCE_TEXT = ['.AdvanceTo(', '.AdvancePendingEvents('] as const;
const simulator = (name: string): string => `drake::systems::Simulator<*>::${name}`;
const ADVANCE: FramePattern = {
  name: [simulator('AdvanceTo'), simulator('AdvancePendingEvents')],
  kind: NATIVE,
};

const MAIN = '<module> (sim.py:60);main (sim.py:53)';
const LINE = `${MAIN} #simulator.AdvanceTo(t)`;
const LIB = '(libdrake.so)';
const NATIVE_ADVANCE = `main (sim.py:53);0x7f11 (pydrake/systems/analysis.so);drake::systems::Simulator<double>::AdvanceTo ${LIB}`;
const UPDATE = `${NATIVE_ADVANCE};drake::systems::Simulator<double>::HandleUnrestrictedUpdate ${LIB}`;
const PUBLISH = `${NATIVE_ADVANCE};drake::systems::Simulator<double>::HandlePublish ${LIB}`;
const PYTHON_SYSTEM = `${UPDATE};0x7f12 (pydrake/systems/framework.so);Controller.update (my_robot.py:31)`;

const LINES: readonly Rule[] = [
  {
    id: 'drake/advance-line',
    bucket: 'physics',
    match: { source: ADVANCE_TEXT },
    leaf: true,
    why: 'C++ leaves no frame, so the loop of Drake is the line that calls it: with a target real-time rate its sleep is in there too, and only native frames tell them apart.',
    hits: [LINE],
    misses: [`${MAIN} #simulator.Initialize()`, `${LINE};Controller.update (my_robot.py:31)`],
  },
  {
    id: 'drake/python-system',
    bucket: 'plugin',
    kind: 'system',
    match: { source: ADVANCE_TEXT },
    leaf: false,
    why: 'Python runs beneath the line that advances the simulation: a system or monitor written in Python, which Drake calls back.',
    remedy: {
      text: 'Call Python systems less often, or write them in C++: Drake calls back into Python for each of their events and output ports.',
      source: 'Drake, Python bindings: systems in Python',
      above: 0.1,
    },
    hits: [`${LINE};Controller.update (my_robot.py:31)`, `${LINE};monitor (sim.py:20)`],
    misses: [LINE],
  },
  {
    id: 'drake/python-system-below-native',
    bucket: 'plugin',
    kind: 'system',
    match: ADVANCE,
    leaf: false,
    why: 'Python runs beneath Simulator::AdvanceTo: a system or monitor written in Python.',
    hits: [PYTHON_SYSTEM],
    misses: [NATIVE_ADVANCE],
  },
  {
    id: 'drake/python-visualizer',
    bucket: 'render',
    kind: 'viewer',
    match: {
      file: ['pydrake/systems/{pyplot_visualizer,planar_scenegraph_visualizer}.py', 'pydrake/visualization/'],
    },
    why: 'A visualizer of Drake that is written in Python draws.',
    hits: [`${LINE};draw (pydrake/systems/planar_scenegraph_visualizer.py:200)`],
    misses: [`${LINE};draw (my/planar_scenegraph_visualizer.py:200)`],
  },
  {
    id: 'drake/parse-line',
    bucket: 'load',
    kind: 'parsing',
    match: {
      source: [
        'Parser(*).AddModels*(',
        'parser.AddModels*(',
        'LoadModelDirectives(',
        'ProcessModelDirectives(',
      ],
    },
    leaf: true,
    why: 'The line reads a model description.',
    hits: [`${MAIN} #Parser(plant).AddModelsFromString(SDF, "sdf")`],
    misses: [`${MAIN} #plant.AddRigidBody("x")`],
  },
];

const PACING: readonly Rule[] = [
  {
    id: 'drake/pacer',
    bucket: 'pacer',
    match: { name: simulator('PauseIfTooFast'), kind: NATIVE },
    whenBlocked: { kind: 'sleep' },
    why: 'The simulator sleeps until real time has caught up with its target rate.',
    hits: [
      `${NATIVE_ADVANCE};drake::systems::Simulator<double>::PauseIfTooFast ${LIB};nanosleep (libc.so.6);clock_nanosleep (libc.so.6)`,
      `${NATIVE_ADVANCE};drake::systems::Simulator<double>::PauseIfTooFast ${LIB}`,
    ],
    misses: [NATIVE_ADVANCE],
  },
];

const SHOWING: readonly Rule[] = [
  {
    id: 'drake/render',
    bucket: 'render',
    match: {
      name: [
        'drake::geometry::render*::*',
        'drake::systems::sensors::RgbdSensor*::*',
        'drake::geometry::GeometryState<*>::Render*Image',
        'drake::geometry::QueryObject<*>::Render*Image',
        'vtk*::*',
      ],
      kind: NATIVE,
    },
    label: { from: 'caller', match: SENSOR },
    why: 'A camera is rendered through VTK or OpenGL.',
    remedy: {
      text: 'Render smaller images or less often (the period of the image port), and with RenderEngineGl or the GPU backend of VTK where there is a GPU.',
      source: 'Drake, RenderEngineVtkParams and RgbdSensor',
      above: 0.1,
    },
    hits: [
      `${PUBLISH};drake::geometry::render_vtk::internal::RenderEngineVtk::DoRenderColorImage ${LIB};vtkOpenGLRenderer::DeviceRender() ${LIB}`,
    ],
    misses: [PUBLISH],
  },
  {
    id: 'drake/visualizer',
    bucket: 'render',
    kind: 'viewer',
    match: {
      name: [
        'drake::geometry::Meshcat::*',
        'drake::geometry::MeshcatVisualizer<*>::*',
        'drake::geometry::DrakeVisualizer<*>::*',
        'drake::multibody::meshcat::*',
      ],
      kind: NATIVE,
    },
    why: 'Poses are sent to a viewer, by default 32 or 64 times each second of simulation.',
    hits: [`${PUBLISH};drake::geometry::MeshcatVisualizer<double>::UpdateMeshcat ${LIB}`],
    misses: [PUBLISH],
  },
  {
    id: 'drake/lcm',
    bucket: 'publishing',
    kind: 'lcm',
    match: { name: ['drake::lcm::*', 'drake::systems::lcm::*', 'lcm_publish'], kind: NATIVE },
    why: 'A message is built and sent through LCM.',
    hits: [
      `${PUBLISH};drake::systems::lcm::LcmPublisherSystem::PublishInputAsLcmMessage ${LIB};drake::lcm::DrakeLcm::Publish ${LIB}`,
    ],
    misses: [PUBLISH],
  },
];

const PHYSICS: readonly Rule[] = [
  {
    id: 'drake/collision',
    bucket: 'physics',
    kind: 'collision',
    match: {
      name: [
        'drake::geometry::internal::ProximityEngine<*>::*',
        'drake::geometry::internal::hydroelastic::*',
        'drake::geometry::internal::penetration_as_point_pair::*',
        'drake::geometry::GeometryState<*>::Compute*',
        'drake::geometry::QueryObject<*>::Compute*',
        'drake_vendor::fcl::*',
      ],
      kind: NATIVE,
    },
    why: 'The scene graph looks for contacts and distances.',
    hits: [
      `${UPDATE};drake::geometry::internal::ProximityEngine<double>::ComputePointPairPenetration ${LIB};drake_vendor::fcl::detail::boxBox2<double> ${LIB}`,
    ],
    misses: [UPDATE],
  },
  {
    id: 'drake/constraint',
    bucket: 'physics',
    kind: 'constraint',
    match: {
      name: [
        'drake::multibody::contact_solvers::*',
        'drake::multibody::internal::SapDriver<*>::*',
        'drake::multibody::internal::TamsiDriver<*>::*',
        'drake::multibody::TamsiSolver<*>::*',
        'drake::multibody::internal::CompliantContactManager<*>::*',
      ],
      kind: NATIVE,
    },
    why: 'Contact problem and its solver (SAP or TAMSI).',
    hits: [`${UPDATE};drake::multibody::contact_solvers::internal::SapSolver<double>::SolveWithGuess ${LIB}`],
    misses: [UPDATE],
  },
  {
    id: 'drake/kinematics',
    bucket: 'physics',
    kind: 'kinematics',
    match: { name: ['drake::multibody::internal::MultibodyTree<*>::*'], kind: NATIVE },
    why: 'Kinematics, mass matrix and forces of the multibody tree.',
    hits: [`${UPDATE};drake::multibody::internal::MultibodyTree<double>::CalcPositionKinematicsCache ${LIB}`],
    misses: [UPDATE],
  },
  {
    id: 'drake/integrator',
    bucket: 'physics',
    kind: 'advance',
    match: { name: 'drake::systems::*Integrator*<*>::*', kind: NATIVE },
    why: 'Continuous state is integrated.',
    hits: [
      `${NATIVE_ADVANCE};drake::systems::IntegratorBase<double>::IntegrateNoFurtherThanTime ${LIB};drake::systems::RungeKutta3Integrator<double>::DoStep ${LIB}`,
    ],
    misses: [NATIVE_ADVANCE],
  },
  {
    id: 'drake/publish',
    bucket: 'publishing',
    match: { name: simulator('HandlePublish'), kind: NATIVE },
    leaf: true,
    why: 'Events that publish: what neither renders nor feeds a viewer sends messages or logs.',
    hits: [PUBLISH, `${PUBLISH};drake::systems::LeafSystem<double>::DispatchPublishHandler ${LIB}`],
    misses: [UPDATE, `${PUBLISH};0x7f12 (pydrake/systems/framework.so);Logger.publish (my_robot.py:31)`],
  },
  {
    id: 'drake/advance',
    bucket: 'physics',
    match: ADVANCE,
    leaf: true,
    why: 'The loop of the simulator; what is beneath it and not told apart is the multibody plant or the framework of systems around it.',
    hits: [
      NATIVE_ADVANCE,
      `${UPDATE};drake::systems::DependencyTracker::NotifySubscribers ${LIB}`,
      `main (robot_sim);drake::systems::Simulator<double>::AdvanceTo ${LIB};malloc (libc.so.6)`,
    ],
    misses: [PYTHON_SYSTEM],
  },
  {
    id: 'drake/plant',
    bucket: 'physics',
    match: { name: ['drake::multibody::*'], kind: NATIVE },
    notUnder: [ADVANCE, PYTHON],
    why: 'A program in C++ that calls the plant without the simulator.',
    hits: [`main (control);drake::multibody::MultibodyPlant<double>::CalcMassMatrix ${LIB}`],
    misses: [`${UPDATE};drake::multibody::MultibodyPlant<double>::CalcMassMatrix ${LIB}`],
  },
];

export const DRAKE: RulePack = {
  id: 'drake',
  dated: '2026-11-30',
  title: 'Drake: loops around Simulator.AdvanceTo, its pacer, publishing events, contact solvers',
  source: 'Drake 1.58.0 and its sources of August 2026',
  tested: 'Drake 1.58.0, CPython 3.11, with and without native frames (rendering, viewers and LCM not)',
  rules: [...LINES, ...PACING, ...SHOWING, ...PHYSICS],
};
