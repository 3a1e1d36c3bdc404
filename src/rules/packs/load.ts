import { BRIDGE, ENGINE, SENSOR } from '../known-frames.js';
import type { FramePattern, Rule, RulePack } from '../rule.js';

const NATIVE = ['native', 'unknown'] as const;
/** The machinery of `import`, frozen into the interpreter since Python 3.3. */
const IMPORT: FramePattern = {
  file: ['<frozen importlib._bootstrap*>', 'importlib/_bootstrap*.py', 'importlib/__init__.py'],
};
const ENTRY_POINTS = [
  'importlib/metadata/',
  'importlib_metadata/',
  'pkg_resources/',
  'stevedore/',
  'pluggy/',
];

const MAIN = '<module> (sim.py:90);main (sim.py:80)';
const BOOT = '(<frozen importlib._bootstrap>:1176)';
const IMPORTS = `<module> (sim.py:3);_find_and_load ${BOOT};_call_with_frames_removed ${BOOT}`;
const LIB = '(mujoco/libmujoco.so.4.0.0)';

const RULES: readonly Rule[] = [
  {
    id: 'load/plugin-import',
    bucket: 'load',
    kind: 'plugins',
    match: IMPORT,
    under: { name: ['load', 'resolve'], file: ENTRY_POINTS },
    why: 'A plugin that was found by its entry point is imported.',
    hits: [
      `${MAIN};EntryPoint.load (importlib/metadata/__init__.py:202);import_module (importlib/__init__.py:126);_find_and_load ${BOOT};<module> (my_plugin/lidar.py:3)`,
    ],
    misses: [`${IMPORTS};<module> (numpy/__init__.py:130)`],
  },
  {
    id: 'load/import',
    bucket: 'load',
    kind: 'imports',
    match: IMPORT,
    why: 'Whatever a module does while it is imported belongs to the import.',
    hits: [
      `${IMPORTS};<module> (numpy/__init__.py:130)`,
      `${IMPORTS};get_data (<frozen importlib._bootstrap_external>:1073)`,
    ],
    misses: [`${MAIN};parse (importer/reader.py:3)`],
  },
  {
    id: 'load/entry-points',
    bucket: 'load',
    kind: 'plugins',
    match: { file: ENTRY_POINTS },
    why: 'Entry points are looked up in the metadata of every installed package.',
    hits: [`${MAIN};entry_points (importlib/metadata/__init__.py:981);read_text (pathlib.py:1058)`],
    misses: [`${MAIN};entry_points (my/plugins.py:3)`],
  },
  {
    id: 'load/asset-file',
    bucket: 'load',
    kind: 'assets',
    match: {
      file: [
        'trimesh/exchange/',
        'meshio/',
        'stl/',
        'pywavefront/',
        'pyassimp/',
        'dm_control/mjcf/attribute.py',
      ],
    },
    why: 'A mesh is read from its file.',
    hits: [`${MAIN};load_mesh (trimesh/exchange/load.py:188);frombuffer (x.py:3)`],
    misses: [`${MAIN};intersects_location (trimesh/ray/ray_triangle.py:90)`],
  },
  {
    id: 'load/texture-file',
    bucket: 'load',
    kind: 'assets',
    match: { name: ['open', 'load', '_open'], file: ['PIL/{Image,ImageFile}.py', 'imageio/'] },
    notUnder: [BRIDGE, ENGINE],
    why: 'A picture is read from its file and unpacked.',
    hits: [`${MAIN};load (PIL/ImageFile.py:300)`],
    misses: [`${MAIN};save (PIL/Image.py:2400)`],
  },
  {
    id: 'load/asset-function',
    bucket: 'load',
    kind: 'assets',
    match: {
      name: ['load_mesh*', 'load_texture*', 'load_asset*', 'load_hfield*', 'dedup_assets', '*_dedup_assets'],
      kind: 'python',
    },
    why: 'Its name says that it loads meshes, textures or other assets.',
    hits: [`${MAIN};load_meshes (my/world.py:40)`, `${MAIN};World.load_textures (my/world.py:40)`],
    misses: [`${MAIN};load (my/world.py:40)`],
  },
  {
    id: 'load/native-asset',
    bucket: 'load',
    kind: 'assets',
    match: {
      name: ['mjCMesh::*', 'mjCTexture::*', 'mjCHField::*', 'mjCSkin::*', 'lodepng*', 'tinyobj::*', 'qh_*'],
      kind: NATIVE,
    },
    why: 'MuJoCo reads a mesh, makes its convex hull, or unpacks a texture.',
    hits: [`${MAIN};mjCMesh::MakeGraph ${LIB};qh_addpoint ${LIB}`, `${MAIN};lodepng_inflatev ${LIB}`],
    misses: [`${MAIN};mj_collideMesh ${LIB}`],
  },
  {
    id: 'load/native-parse',
    bucket: 'load',
    kind: 'parsing',
    match: { name: ['mjXReader::*', 'mjXURDF::*', 'mjXSchema::*', 'tinyxml2::*', 'mj_parse*'], kind: NATIVE },
    why: 'MuJoCo reads the text of a model.',
    hits: [`${MAIN};mjXReader::Parse ${LIB};tinyxml2::XMLDocument::Parse ${LIB}`],
    misses: [`${MAIN};mj_kinematics ${LIB}`],
  },
  {
    id: 'load/native-compile',
    bucket: 'load',
    kind: 'compiling',
    match: {
      name: ['mjCModel::*', 'mj_loadXML', 'mj_compile', 'mj_recompile', 'mj_makeModel'],
      kind: NATIVE,
    },
    why: 'MuJoCo makes a model of a specification.',
    hits: [`${MAIN};mjCModel::Compile ${LIB};malloc (libc.so.6)`],
    misses: [`${MAIN};mj_forward ${LIB}`],
  },
  {
    id: 'load/compile-line',
    bucket: 'load',
    kind: 'compiling',
    match: {
      source: [
        'MjModel.from_xml*(',
        'MjModel.from_binary_path(',
        'spec.compile(',
        'spec.recompile(',
        'load_model_from_*(',
        'Physics.from_xml*(',
        'Physics.from_mjcf_model(',
      ],
    },
    why: 'The line has the engine make its model; parsing is part of that call where it is given XML.',
    hits: [
      `${MAIN} #self.model = mujoco.MjModel.from_xml_path(path)`,
      `${MAIN} #model = self._spec.compile()`,
    ],
    misses: [`${MAIN} #pattern = re.compile(text)`],
  },
  {
    id: 'load/parse-line',
    bucket: 'load',
    kind: 'parsing',
    match: {
      source: ['MjSpec.from_*(', 'loadURDF(', 'loadMJCF(', 'loadSDF(', 'mjcf.from_path(', 'mjcf.from_file('],
    },
    why: 'The line reads a model description.',
    hits: [`${MAIN} #spec = mujoco.MjSpec.from_file(path)`, `${MAIN} #robot = p.loadURDF("r2d2.urdf")`],
    misses: [`${MAIN} #spec.add_body(name="x")`],
  },
  {
    id: 'load/parse-file',
    bucket: 'load',
    kind: 'parsing',
    match: {
      file: [
        'xml/etree/',
        'xml/dom/',
        'xml/sax/',
        'lxml/',
        'defusedxml/',
        'yaml/',
        'dm_control/mjcf/parser.py',
        'yourdfpy/',
        'urdf_parser_py/',
        'xacro/',
      ],
    },
    notUnder: [BRIDGE, ENGINE],
    why: 'A description of a world, a robot or a run is parsed.',
    hits: [
      `${MAIN};safe_load (yaml/__init__.py:125);get_single_data (yaml/constructor.py:49)`,
      `${MAIN};parse (xml/etree/ElementTree.py:1218)`,
    ],
    misses: [`${MAIN};parse (argparse.py:1818)`],
  },
  {
    id: 'load/jit',
    bucket: 'load',
    kind: 'compiling',
    match: {
      file: ['jax/_src/compiler.py', 'numba/core/compiler.py', 'warp/build.py', 'warp/_src/build.py'],
    },
    why: 'Code is compiled at its first call.',
    hits: [`${MAIN};compile_or_get_cached (jax/_src/compiler.py:300)`],
    misses: [`${MAIN};compile (my/compiler.py:3)`],
  },
  {
    id: 'load/data-line',
    bucket: 'load',
    kind: 'building',
    match: { source: ['MjData(', 'MjvScene(', 'MjrContext(', 'mujoco.Renderer('] },
    leaf: true,
    why: 'The line allocates the state of a model, or what a renderer needs.',
    hits: [`${MAIN} #data = mujoco.MjData(model)`],
    misses: [`${MAIN} #mujoco.mj_step(model, data)`],
  },
  {
    id: 'load/build-hook',
    bucket: 'load',
    kind: 'building',
    match: { name: ['build', 'configure'], kind: 'python' },
    under: ENGINE,
    label: { from: 'caller', match: SENSOR },
    why: 'The engine has a plugin add its part to the world, or prepare itself.',
    hits: [
      `${MAIN};setup (roqsim/engine.py:120);_timed (roqsim/engine.py:90);build (roqsim_sensors/plugins/lidar.py:40)`,
    ],
    misses: [`${MAIN};build (my/world.py:40)`],
  },
  {
    id: 'load/build-function',
    bucket: 'load',
    kind: 'building',
    match: {
      name: [
        'build_model',
        'build_world',
        'build_scene',
        'make_model',
        'make_world',
        'load_model',
        'load_world',
      ],
      kind: 'python',
    },
    leaf: false,
    why: 'Its name says that it builds the world; what a finer rule claims beneath it is not part of it.',
    hits: [`${MAIN};build_model (sim.py:20);attach_legs (sim.py:40)`],
    misses: [`${MAIN};build (sim.py:20)`],
  },
  {
    id: 'load/engine-setup',
    bucket: 'load',
    kind: 'building',
    match: { name: ['setup', '_setup'], ...ENGINE },
    why: 'The engine puts the world together; what a finer rule claims beneath it is not part of it.',
    hits: [`${MAIN};Engine.setup (roqsim/engine.py:120);deepcopy (copy.py:128)`],
    misses: [`${MAIN};setup (my/engine_room.py:3)`],
  },
  {
    id: 'load/mjcf',
    bucket: 'load',
    kind: 'building',
    match: { file: ['dm_control/mjcf/'] },
    why: 'The model is put together as a tree of elements before it is compiled.',
    hits: [`${MAIN};attach (dm_control/mjcf/element.py:1100)`],
    misses: [`${MAIN};attach (debugpy/server/api.py:3)`],
  },
];

export const LOAD: RulePack = {
  id: 'load',
  dated: '2026-11-30',
  title: 'Start-up: imports, plugin resolution, parsing, building, compiling, assets',
  rules: RULES,
};
