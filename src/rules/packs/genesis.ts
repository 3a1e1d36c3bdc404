import { SENSOR } from '../known-frames.js';
import { pacerRules } from '../pacer-rules.js';
import type { Rule, RulePack } from '../rule.js';

const SOLVERS = 'genesis/engine/solvers/';
const RIGID = `${SOLVERS}rigid/`;
/** Genesis compiles its kernels with Quadrants, before with its own Taichi. */
const COMPILER = '{quadrants,gstaichi,taichi}';

const MAIN = '<module> (sim.py:30);main (sim.py:24)';
const SCENE = `${MAIN};Scene.step (genesis/engine/scene.py:1017)`;
const SIMULATOR = `${SCENE};Simulator.step (genesis/engine/simulator.py:272)`;
const SUBSTEP = `${SIMULATOR};Simulator.substep (genesis/engine/simulator.py:320);RigidSolver.substep (genesis/engine/solvers/rigid/rigid_solver.py:912)`;
const KERNEL = 'wrapped_func (quadrants/lang/kernel_impl.py:600)';

const PACING: readonly Rule[] = pacerRules({
  id: 'genesis/viewer-rate',
  match: { name: 'sleep', file: 'genesis/utils/tools.py' },
  example: `${SCENE};Visualizer.update (genesis/vis/visualizer.py:198);Viewer.update (genesis/vis/viewer.py:193);Rate.sleep (genesis/utils/tools.py:174)`,
  misses: ['main (x.py:1);sleep (my/utils/tools.py:3)'],
});

const RULES: readonly Rule[] = [
  {
    id: 'genesis/compile',
    bucket: 'load',
    kind: 'compiling',
    match: {
      name: ['materialize', 'ensure_compiled', 'compile_kernel', 'Kernel.materialize'],
      file: `${COMPILER}/lang/`,
    },
    why: 'A kernel is compiled, or loaded from the cache, at its first call.',
    hits: [`${SUBSTEP};${KERNEL};Kernel.materialize (quadrants/lang/kernel.py:300)`],
    misses: [`${MAIN};materialize (sqlalchemy/lang/kernel.py:3)`],
  },
  {
    id: 'genesis/build',
    bucket: 'load',
    kind: 'building',
    match: { name: 'build', file: 'genesis/{engine,vis}/' },
    leaf: false,
    why: 'The scene is built: solvers, sensors, visualizer; what a finer rule claims beneath it is not part of it.',
    hits: [
      `${MAIN};Scene.build (genesis/engine/scene.py:841);Simulator.build (genesis/engine/simulator.py:194);zeros (numpy/x.py:3)`,
    ],
    misses: [`${MAIN};build (my/scene.py:3)`],
  },
  {
    id: 'genesis/error-check',
    bucket: 'physics',
    kind: 'gpu-wait',
    match: { name: 'check_errno', file: `${RIGID}rigid_solver.py` },
    why: 'The first read of a value that the GPU computes: the CPU waits here for all that was launched before.',
    hits: [
      `${SIMULATOR};RigidSolver.check_errno (genesis/engine/solvers/rigid/rigid_solver.py:985);item (torch/x.py:3)`,
    ],
    misses: [SUBSTEP],
  },
  {
    id: 'genesis/collision',
    bucket: 'physics',
    kind: 'collision',
    match: { file: [`${RIGID}collider/`, 'genesis/engine/bvh.py'], kind: 'python' },
    why: 'Broad and narrow phase of the rigid solver.',
    hits: [`${SUBSTEP};Collider.detection (genesis/engine/solvers/rigid/collider/collider.py:684);${KERNEL}`],
    misses: [SUBSTEP],
  },
  {
    id: 'genesis/constraint',
    bucket: 'physics',
    kind: 'constraint',
    match: { file: `${RIGID}constraint/` },
    why: 'The constraint solver of the rigid solver.',
    hits: [
      `${SUBSTEP};ConstraintSolver.resolve (genesis/engine/solvers/rigid/constraint/solver.py:210);${KERNEL}`,
    ],
    misses: [SUBSTEP],
  },
  {
    id: 'genesis/kinematics',
    bucket: 'physics',
    kind: 'kinematics',
    match: {
      name: [
        'kernel_forward_kinematics*',
        'kernel_update_cartesian_space*',
        'func_forward_kinematics*',
        'func_update_cartesian_space*',
      ],
      file: RIGID,
    },
    why: 'Joint coordinates become poses.',
    hits: [
      `${SUBSTEP};kernel_forward_kinematics (genesis/engine/solvers/rigid/abd/forward_kinematics.py:40);${KERNEL}`,
    ],
    misses: [SUBSTEP],
  },
  {
    id: 'genesis/solver',
    bucket: 'physics',
    match: { file: [SOLVERS, 'genesis/engine/couplers/', 'genesis/engine/coupler.py'] },
    why: 'A solver or coupler steps; on a GPU its kernels are only queued here.',
    hits: [SUBSTEP, `${SUBSTEP};${KERNEL}`],
    misses: [`${MAIN};substep (my/solvers/rigid_solver.py:3)`],
  },
  {
    id: 'genesis/ray-sensor',
    bucket: 'raycast',
    match: { file: ['genesis/engine/sensors/{raycaster,depth_camera}.py', 'genesis/sensors/raycaster.py'] },
    label: { from: 'caller', match: SENSOR },
    why: 'Lidars and depth cameras cast rays, and refit the tree of boxes first.',
    hits: [
      `${SIMULATOR};SensorManager.step (genesis/engine/sensors/sensor_manager.py:165);RaycasterSensor._update_shared_ground_truth_cache (genesis/engine/sensors/raycaster.py:263);${KERNEL}`,
    ],
    misses: [`${MAIN};cast (my/sensors/raycaster.py:3)`],
  },
  {
    id: 'genesis/camera-sensor',
    bucket: 'render',
    kind: 'camera',
    match: { file: 'genesis/engine/sensors/camera.py' },
    why: 'A camera among the sensors is drawn.',
    hits: [
      `${MAIN};CameraSensor.read (genesis/engine/sensors/camera.py:353);_render_current_state (genesis/engine/sensors/camera.py:534)`,
    ],
    misses: [`${MAIN};read (my/sensors/camera.py:353)`],
  },
  {
    id: 'genesis/sensor',
    bucket: 'plugin',
    kind: 'sensor',
    match: { file: ['genesis/engine/sensors/', 'genesis/sensors/'] },
    why: 'Other sensors, and the manager that updates them once a step.',
    hits: [
      `${SIMULATOR};SensorManager.step (genesis/engine/sensors/sensor_manager.py:165)`,
      `${SIMULATOR};SensorManager.step (genesis/engine/sensors/sensor_manager.py:165);IMUSensor._update_shared_cache (genesis/engine/sensors/imu.py:209);${KERNEL}`,
    ],
    misses: [SUBSTEP],
  },
  {
    id: 'genesis/render',
    bucket: 'render',
    match: { file: ['genesis/vis/', 'genesis/ext/pyrender/', 'genesis/ext/LuisaRender/'] },
    why: 'Viewer, cameras and their renderers draw.',
    remedy: {
      text: 'Run without the viewer (show_viewer=False), call scene.step with update_visualizer=False, and render cameras only where an image is needed.',
      source: 'Genesis, Scene.step(update_visualizer, refresh_visualizer)',
      above: 0.1,
    },
    hits: [
      `${SCENE};Visualizer.update (genesis/vis/visualizer.py:198);RasterizerContext.update (genesis/vis/rasterizer_context.py:1048)`,
      `${MAIN};Camera.render (genesis/vis/camera.py:379)`,
    ],
    misses: [`${MAIN};render (my/vis/camera.py:379)`],
  },
  {
    id: 'genesis/recorder',
    bucket: 'publishing',
    kind: 'recording',
    match: { file: 'genesis/recorders/' },
    why: 'State or images are recorded, plotted or written to a file.',
    hits: [
      `${SCENE};step (genesis/recorders/recorder_manager.py:60);_write (genesis/recorders/file_writers.py:80)`,
    ],
    misses: [SCENE],
  },
  {
    id: 'genesis/simulator',
    bucket: 'physics',
    match: { file: 'genesis/engine/simulator.py' },
    why: 'The simulator steps its solvers and couples them.',
    hits: [SIMULATOR, `${SIMULATOR};process_input (genesis/engine/simulator.py:308)`],
    misses: [SUBSTEP],
  },
  {
    id: 'genesis/entity',
    bucket: 'plugin',
    kind: 'control',
    match: { file: 'genesis/engine/entities/' },
    notUnder: { file: 'genesis/engine/simulator.py' },
    why: 'The script sets or reads an entity: each call is a kernel launch, and a read waits for the GPU.',
    hits: [
      `${MAIN};RigidEntity.control_dofs_position (genesis/engine/entities/rigid_entity/rigid_entity.py:2000);${KERNEL}`,
    ],
    misses: [SUBSTEP],
  },
  {
    id: 'genesis/scene',
    bucket: 'python',
    kind: 'scene',
    match: { name: ['step', '_step', 'reset'], file: ['genesis/engine/scene.py', 'genesis/utils/tools.py'] },
    why: 'The step of the scene around simulator and visualizer, its counter of frames included.',
    hits: [SCENE, `${SCENE};FPSTracker.step (genesis/utils/tools.py:191)`],
    misses: [SIMULATOR],
  },
];

export const GENESIS: RulePack = {
  id: 'genesis',
  dated: '2026-11-30',
  title: 'Genesis: scene, solvers, sensors, visualizer, where the GPU wait lands',
  source: 'Genesis 0.4.5',
  tested: false,
  rules: [...PACING, ...RULES],
};
