import type { FramePattern, Rule, RulePack } from '../rule.js';

const NATIVE = ['native', 'unknown'] as const;
/** With the version as an inline namespace: `gz::sim::v10::SimulationRunner::Run`; Ignition before Gazebo Garden. */
const sim = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [`gz::sim::*${name}`, `ignition::gazebo::*${name}`]);
const gz = (library: string, ...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [`gz::${library}::*${name}`, `ignition::${library}::*${name}`]);

const RUN: FramePattern = { name: sim('SimulationRunner::Run'), kind: NATIVE };
const STEP: FramePattern = { name: sim('SimulationRunner::Step'), kind: NATIVE };
const UPDATE: FramePattern = { name: sim('SimulationRunner::UpdateSystems'), kind: NATIVE };
const PHYSICS: FramePattern = {
  name: sim('systems::Physics::Update', 'systems::PhysicsPrivate::*'),
  kind: NATIVE,
};

const CORE = '(libgz-sim.so.11)';
const RUNNING = `gz-sim-server;gz::sim::v11::SimulationRunner::Run(unsigned long) ${CORE}`;
const STEPPING = `${RUNNING};gz::sim::v11::SimulationRunner::Step(gz::sim::v11::UpdateInfo const&) ${CORE}`;
const SYSTEMS = `${STEPPING};gz::sim::v11::SimulationRunner::UpdateSystems() ${CORE}`;
const PHYSICS_STEP = `${SYSTEMS};gz::sim::v11::systems::Physics::Update ${'(libgz-sim-physics-system.so.11)'};gz::sim::v11::systems::PhysicsPrivate::Step (libgz-sim-physics-system.so.11)`;
const WORKER = `std::thread::_State_impl<run> (libgz-sim.so.11);gz::sim::v11::SimulationRunner::ProcessSystemQueue()::{lambda()#1}::operator()() ${CORE}`;
const RENDERER = `gz::sim::v11::systems::SensorsPrivate::Run() (libgz-sim-sensors-system.so.11)`;

const PACING: readonly Rule[] = [
  {
    id: 'gz-sim/pacer-sleep',
    bucket: 'pacer',
    kind: 'sleep',
    match: { name: ['clock_nanosleep', 'nanosleep', '*__clock_nanosleep', '*__nanosleep'], kind: NATIVE },
    under: RUN,
    notUnder: STEP,
    blocks: 'sleep',
    why: 'The runner sleeps until shortly before the next iteration is due; paused, it sleeps a millisecond at a time, which looks the same.',
    hits: [
      `${RUNNING};clock_nanosleep (libc.so.6)`,
      `${RUNNING};nanosleep (libc.so.6);clock_nanosleep (libc.so.6)`,
    ],
    misses: [`${SYSTEMS};clock_nanosleep (libc.so.6)`, 'main (app);clock_nanosleep (libc.so.6)'],
  },
  {
    id: 'gz-sim/pacer-spin',
    bucket: 'pacer',
    kind: 'spin',
    match: {
      name: [
        'clock_gettime',
        '__clock_gettime',
        '__vdso_clock_gettime',
        'std::chrono::*steady_clock::now',
        '[vdso]',
      ],
      kind: NATIVE,
    },
    under: RUN,
    notUnder: STEP,
    why: 'For the last 200 µs before an iteration is due the runner asks the clock in a loop: that is pacing, though the CPU is busy with it.',
    remedy: {
      text: 'This is waiting, not work: Gazebo is ahead of real time. A thread that is busy here leaves less for others where CPUs are scarce.',
      source: 'gz-sim, SimulationRunner::Run: sleeps until 200 µs before the due time, then spins',
      above: 0.1,
    },
    hits: [
      `${RUNNING};std::chrono::_V2::steady_clock::now() (libstdc++.so.6);clock_gettime (libc.so.6);__vdso_clock_gettime ([vdso])`,
    ],
    misses: [`${SYSTEMS};clock_gettime (libc.so.6)`, `main (app);clock_gettime (libc.so.6)`],
  },
  {
    id: 'gz-sim/pacer-own',
    bucket: 'pacer',
    kind: 'spin',
    match: RUN,
    why: 'Of the runner’s own code nearly all is the loop that asks the clock; its few other lines go round once an iteration.',
    hits: [RUNNING],
    misses: [STEPPING],
  },
];

const PUBLISHING: readonly Rule[] = [
  {
    id: 'gz-sim/publish',
    bucket: 'publishing',
    kind: 'transport',
    match: { name: gz('transport', 'Node::Publisher::Publish*', 'Publisher::Publish*'), kind: NATIVE },
    why: 'A message is serialised and sent through Gazebo Transport.',
    hits: [
      `${STEPPING};gz::sim::v11::SimulationRunner::PublishStats() ${CORE};gz::transport::v14::Node::Publisher::Publish(google::protobuf::Message const&) (libgz-transport.so.14)`,
    ],
    misses: [STEPPING],
  },
  {
    id: 'gz-sim/stats',
    bucket: 'publishing',
    kind: 'stats',
    match: { name: sim('SimulationRunner::PublishStats'), kind: NATIVE },
    why: 'Statistics and /clock are published, /clock at every iteration.',
    hits: [`${STEPPING};gz::sim::v11::SimulationRunner::PublishStats() ${CORE};memcpy (libc.so.6)`],
    misses: [STEPPING],
  },
  {
    id: 'gz-sim/publisher-system',
    bucket: 'publishing',
    kind: 'state',
    match: {
      name: sim(
        'systems::SceneBroadcaster*::*',
        'systems::PosePublisher*::*',
        'systems::JointStatePublisher*::*',
        'systems::OdometryPublisher*::*',
      ),
      kind: NATIVE,
    },
    why: 'A system gathers state of the world and publishes it.',
    hits: [
      `${WORKER};gz::sim::v11::systems::SceneBroadcaster::PostUpdate (libgz-sim-scene-broadcaster-system.so.11);std::_Hashtable::find (libstdc++.so.6)`,
    ],
    misses: [WORKER],
  },
  {
    id: 'gz-sim/publish-scan',
    bucket: 'publishing',
    kind: 'sensor',
    match: {
      name: gz('sensors', 'Lidar::PublishLidarScan', '*Sensor::Publish*', 'CameraSensor::PublishInfo'),
      kind: NATIVE,
    },
    why: 'A sensor fills its message and publishes it.',
    hits: [
      `${RENDERER};gz::sensors::v10::GpuLidarSensor::Update (libgz-sensors-gpu_lidar.so);gz::sensors::v10::Lidar::PublishLidarScan (libgz-sensors-lidar.so)`,
    ],
    misses: [RENDERER],
  },
];

const SENSING: readonly Rule[] = [
  {
    id: 'gz-sim/cpu-rays',
    bucket: 'raycast',
    match: {
      name: [
        ...sim('systems::PhysicsPrivate::UpdateRayIntersections'),
        ...gz('sensors', 'CpuLidarSensor::*'),
      ],
      kind: NATIVE,
    },
    why: 'A lidar without a GPU has the physics engine intersect its rays.',
    hits: [
      `${SYSTEMS};gz::sim::v11::systems::PhysicsPrivate::UpdateRayIntersections (libgz-sim-physics-system.so.11);dart::collision::OdeCollisionDetector::raycast (libdart.so)`,
    ],
    misses: [PHYSICS_STEP],
  },
  {
    id: 'gz-sim/camera',
    bucket: 'render',
    kind: 'camera',
    match: {
      name: gz('sensors', '*CameraSensor::*', 'SegmentationCameraSensor::*', 'RenderingSensor::*'),
      kind: NATIVE,
    },
    why: 'A camera is drawn, and its image fetched from the GPU.',
    remedy: {
      text: 'Lower update_rate or the size of the camera, or remove sensors that nobody subscribes to: a physics step waits while a frame is drawn.',
      source: 'gazebosim/gz-sim issue 2595; gz-sim, Sensors::PostUpdate',
      above: 0.1,
    },
    hits: [
      `${RENDERER};gz::sensors::v10::SensorManager::RunOnce (libgz-sensors.so);gz::sensors::v10::RgbdCameraSensor::Update (libgz-sensors-rgbd_camera.so)`,
    ],
    misses: [RENDERER],
  },
  {
    id: 'gz-sim/gpu-lidar',
    bucket: 'render',
    kind: 'lidar',
    match: { name: gz('sensors', 'GpuLidarSensor::*'), kind: NATIVE },
    why: 'A GPU lidar is drawn like a camera: its rays are depth pixels.',
    hits: [`${RENDERER};gz::sensors::v10::GpuLidarSensor::Update (libgz-sensors-gpu_lidar.so)`],
    misses: [RENDERER],
  },
  {
    id: 'gz-sim/other-sensor',
    bucket: 'plugin',
    kind: 'sensor',
    match: { name: gz('sensors', '*Sensor::Update', 'SensorManager::*', 'Sensor::*'), kind: NATIVE },
    why: 'Sensors that need no rendering: inertial units, altimeters, forces.',
    hits: [`${WORKER};gz::sensors::v10::ImuSensor::Update (libgz-sensors-imu.so)`],
    misses: [WORKER],
  },
  {
    id: 'gz-sim/render',
    bucket: 'render',
    match: {
      name: [...gz('rendering', '*'), ...sim('RenderUtil*::*', 'SceneManager::*'), 'Ogre::*'],
      kind: NATIVE,
    },
    notUnder: { name: gz('sensors', '*CameraSensor::*', 'GpuLidarSensor::*'), kind: NATIVE },
    why: 'The scene is brought up to date and drawn.',
    hits: [
      `${RENDERER};gz::sim::v11::RenderUtil::Update() (libgz-sim-rendering.so.11)`,
      `${RENDERER};gz::rendering::v10::Ogre2Scene::PreRender() (libgz-rendering-ogre2.so);Ogre::CompositorManager2::_update (libOgreNextMain.so)`,
    ],
    misses: [RENDERER],
  },
  {
    id: 'gz-sim/wait-for-rendering',
    bucket: 'render',
    kind: 'system',
    match: { name: sim('systems::Sensors::*'), kind: NATIVE },
    whenBlocked: { bucket: 'lock-wait', kind: 'rendering' },
    why: 'The sensors system hands the world over to the rendering thread; blocked, it waits for that thread, and the step with it.',
    remedy: {
      text: 'Make rendering cheaper: fewer, smaller or slower cameras and lidars.',
      source: 'gz-sim, Sensors::PostUpdate: waits for the rendering thread',
      above: 0.05,
    },
    hits: [
      `${WORKER};gz::sim::v11::systems::Sensors::PostUpdate (libgz-sim-sensors-system.so.11);pthread_cond_wait (libc.so.6)`,
      `${WORKER};gz::sim::v11::systems::Sensors::PostUpdate (libgz-sim-sensors-system.so.11)`,
    ],
    misses: [RENDERER],
  },
  {
    id: 'gz-sim/render-thread',
    bucket: 'render',
    match: { name: sim('systems::SensorsPrivate::*'), kind: NATIVE },
    whenBlocked: { bucket: 'idle', kind: 'rendering' },
    why: 'The rendering thread of the sensors system; blocked, it waits until a sensor is due.',
    hits: [
      `${RENDERER};gz::sim::v11::systems::SensorsPrivate::RunOnce() (libgz-sim-sensors-system.so.11)`,
      `${RENDERER};pthread_cond_wait (libc.so.6)`,
    ],
    misses: [WORKER],
  },
];

const PHYSICS_RULES: readonly Rule[] = [
  {
    id: 'gz-sim/collision',
    bucket: 'physics',
    kind: 'collision',
    match: {
      name: [
        'dart::collision::*',
        'dCollide*',
        'dxHashSpace::*',
        'dxSAPSpace::*',
        'btCollision*::*',
        'btDbvt*::*',
        'fcl::*',
      ],
      kind: NATIVE,
    },
    under: PHYSICS,
    notUnder: { name: sim('systems::PhysicsPrivate::UpdateRayIntersections'), kind: NATIVE },
    why: 'The engine looks for contacts.',
    hits: [
      `${PHYSICS_STEP};dart::simulation::World::step(bool) (libdart.so.6.13);dart::collision::OdeCollisionDetector::collide (libdart-collision-ode.so.6.13)`,
    ],
    misses: [PHYSICS_STEP],
  },
  {
    id: 'gz-sim/constraint',
    bucket: 'physics',
    kind: 'constraint',
    match: {
      name: ['dart::constraint::*', 'dSolveLCP', 'btMultiBodyConstraintSolver::*', 'btSequentialImpulse*::*'],
      kind: NATIVE,
    },
    under: PHYSICS,
    why: 'The engine solves for contact and joint forces.',
    hits: [
      `${PHYSICS_STEP};dart::simulation::World::step(bool) (libdart.so.6.13);dart::constraint::ConstraintSolver::solve() (libdart.so.6.13)`,
    ],
    misses: [PHYSICS_STEP],
  },
  {
    id: 'gz-sim/entities',
    bucket: 'physics',
    kind: 'sync',
    match: {
      name: sim(
        'systems::PhysicsPrivate::UpdateSim',
        'systems::PhysicsPrivate::UpdatePhysics',
        'systems::PhysicsPrivate::UpdateCollisions',
        'systems::PhysicsPrivate::Update*BoundingBoxes',
        'systems::PhysicsPrivate::UpdateModelPose',
        'systems::PhysicsPrivate::Create*Entities',
        'systems::PhysicsPrivate::RemovePhysicsEntities',
      ),
      kind: NATIVE,
    },
    why: 'Commands and poses go from the entities to the engine and back; this grows with the number of entities, not with contacts.',
    hits: [
      `${SYSTEMS};gz::sim::v11::systems::PhysicsPrivate::UpdateSim (libgz-sim-physics-system.so.11);gz::sim::v11::EntityComponentManager::ComponentImplementation ${CORE}`,
    ],
    misses: [PHYSICS_STEP],
  },
  {
    id: 'gz-sim/physics',
    bucket: 'physics',
    match: PHYSICS,
    why: 'The physics system; what is beneath it and not told apart is the engine (DART, Bullet).',
    hits: [
      PHYSICS_STEP,
      `${PHYSICS_STEP};dart::dynamics::Skeleton::computeForwardDynamics() (libdart.so.6.13)`,
    ],
    misses: [SYSTEMS],
  },
];

const SYSTEM_RULES: readonly Rule[] = [
  {
    id: 'gz-sim/system',
    bucket: 'plugin',
    match: {
      name: ['*::PreUpdate', '*::Update', '*::PostUpdate', ...sim('systems::*')],
      kind: NATIVE,
    },
    caller: [UPDATE, { name: sim('SimulationRunner::ProcessSystemQueue*'), kind: NATIVE }],
    why: 'A system of Gazebo or of your own, which the runner calls.',
    hits: [
      `${SYSTEMS};gz::sim::v11::systems::DiffDrive::PreUpdate (libgz-sim-diff-drive-system.so.11)`,
      `${SYSTEMS};my_robot::Thruster::PreUpdate (libMyThruster.so);sin (libm.so.6)`,
      `${WORKER};my_robot::Sonar::PostUpdate (libMySonar.so)`,
    ],
    misses: [SYSTEMS, 'main (app);my_robot::Sonar::PostUpdate (libMySonar.so)'],
  },
  {
    id: 'gz-sim/system-within',
    bucket: 'plugin',
    match: { name: sim('systems::*'), kind: NATIVE },
    why: 'A system of Gazebo, wherever it is called from.',
    hits: [`main;gz::sim::v11::systems::Buoyancy::PreUpdate (libgz-sim-buoyancy-system.so.11)`],
    misses: [SYSTEMS],
  },
  {
    id: 'gz-sim/wait-for-systems',
    bucket: 'lock-wait',
    kind: 'systems',
    match: { name: sim('Barrier::Wait'), kind: NATIVE },
    under: UPDATE,
    blocks: 'wait',
    why: 'The runner waits until the PostUpdate of every system is done: the slowest of those threads holds the step up.',
    remedy: {
      text: 'Look at the other threads (profiler threads): the system whose PostUpdate takes longest sets the time of this wait.',
      source: 'gz-sim, SimulationRunner::UpdateSystems: barriers around the PostUpdate threads',
      above: 0.05,
    },
    hits: [`${SYSTEMS};gz::sim::v11::Barrier::Wait() ${CORE};pthread_cond_wait (libc.so.6)`],
    misses: [`${WORKER};gz::sim::v11::Barrier::Wait() ${CORE};pthread_cond_wait (libc.so.6)`],
  },
  {
    id: 'gz-sim/worker-idle',
    bucket: 'idle',
    kind: 'pool',
    match: { name: sim('Barrier::Wait'), kind: NATIVE },
    notUnder: UPDATE,
    blocks: 'wait',
    why: 'A PostUpdate thread waits for the next iteration.',
    hits: [`${WORKER};gz::sim::v11::Barrier::Wait() ${CORE};pthread_cond_wait (libc.so.6)`],
    misses: [`${SYSTEMS};gz::sim::v11::Barrier::Wait() ${CORE}`],
  },
  {
    id: 'gz-sim/transport-thread',
    bucket: 'executor',
    kind: 'middleware',
    match: { name: gz('transport', 'NodeShared::*', 'Discovery<*>::*'), kind: NATIVE },
    whenBlocked: { bucket: 'idle', kind: 'middleware' },
    why: 'Threads of Gazebo Transport receive and discover; asleep they are idle.',
    hits: [
      'std::thread::_Invoker (libgz-transport.so.14);gz::transport::v14::NodeShared::RunReceptionTask() (libgz-transport.so.14);poll (libc.so.6)',
    ],
    misses: [STEPPING],
  },
  {
    id: 'gz-sim/runner',
    bucket: 'executor',
    kind: 'runner',
    match: {
      name: sim(
        'SimulationRunner::Step',
        'SimulationRunner::UpdateSystems',
        'SimulationRunner::UpdateCurrentInfo',
        'SimulationRunner::Process*',
        'SystemManager::*',
        'LevelManager::*',
        'NetworkManager*::*',
      ),
      kind: NATIVE,
    },
    why: 'The runner around its systems: entities that come and go, levels, messages.',
    hits: [
      STEPPING,
      SYSTEMS,
      `${STEPPING};gz::sim::v11::EntityComponentManager::SetAllComponentsUnchanged() ${CORE}`,
    ],
    misses: [RUNNING],
  },
  {
    id: 'gz-sim/components',
    bucket: 'executor',
    kind: 'runner',
    match: { name: sim('EntityComponentManager::*'), kind: NATIVE },
    caller: RUN,
    why: 'The runner itself clears what changed or was removed in an iteration.',
    hits: [`${RUNNING};gz::sim::v11::EntityComponentManager::SetAllComponentsUnchanged() ${CORE}`],
    misses: [
      `${SYSTEMS};gz::sim::v11::systems::PhysicsPrivate::UpdateSim (libgz-sim-physics-system.so.11);gz::sim::v11::EntityComponentManager::Each ${CORE}`,
    ],
  },
];

export const GZ_SIM: RulePack = {
  id: 'gz-sim',
  dated: '2026-11-30',
  title: 'Gazebo (gz-sim, C++): runner with its spinning pacer, systems, physics, sensors, transport',
  source: 'gz-sim 11.0.0-pre1',
  tested: false,
  rules: [...PACING, ...PUBLISHING, ...SENSING, ...PHYSICS_RULES, ...SYSTEM_RULES],
};
