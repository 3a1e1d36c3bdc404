import type { FramePattern, Rule, RulePack } from '../rule.js';

/** Modules of Warp: `warp/context.py` up to 1.9, `warp/_src/context.py` since. */
const CONTEXT = ['warp/context.py', 'warp/_src/context.py'];
const TYPES = ['warp/types.py', 'warp/_src/types.py'];
const READ_BACK: FramePattern = { name: ['array.numpy', 'array.list', 'numpy', 'list'], file: TYPES };

const MAIN = '<module> (sim.py:50);main (sim.py:40)';

const RULES: readonly Rule[] = [
  {
    id: 'warp/compile',
    bucket: 'load',
    kind: 'compiling',
    match: {
      name: [
        'Module.compile',
        'Module._compile',
        '_run_codegen',
        'codegen',
        'codegen_*',
        'build_kernel',
        'get_module_hash',
        'hash_module',
        'hash_kernel',
        'hash_adjoint',
        'extract_function_source',
      ],
      file: [...CONTEXT, 'warp/codegen.py', 'warp/_src/codegen.py'],
    },
    why: 'Code of kernels is generated and compiled at their first launch.',
    hits: [
      `${MAIN};launch (warp/_src/context.py:11940);Module.load (warp/_src/context.py:5138);Module._compile (warp/_src/context.py:5027)`,
    ],
    misses: [
      `${MAIN};Module._compile (my/context.py:3)`,
      `${MAIN};launch (warp/_src/context.py:12087);get_arg_type (warp/_src/codegen.py:1829)`,
    ],
  },
  {
    id: 'warp/module-load',
    bucket: 'load',
    kind: 'compiling',
    match: { name: ['Module.load', 'load_module', 'force_load'], file: CONTEXT },
    leaf: false,
    why: 'What stands below makes or loads a module; each launch calls this function, which as the leaf finds the module loaded.',
    hits: [
      `${MAIN};launch (warp/_src/context.py:11940);Module.load (warp/_src/context.py:5138);safe_rename (my/files.py:3)`,
    ],
    misses: [`${MAIN};launch (warp/_src/context.py:11940);Module.load (warp/_src/context.py:5156)`],
  },
  {
    id: 'warp/synchronize',
    bucket: 'physics',
    kind: 'gpu-wait',
    match: {
      name: ['synchronize', 'synchronize_device', 'synchronize_stream', 'synchronize_event', 'wait_event'],
      file: CONTEXT,
    },
    leaf: true,
    yields: true,
    blocks: 'wait',
    why: 'The CPU waits until the GPU has done all that was launched before; what asked for the wait keeps it, and where nothing did, a step is the likeliest thing launched.',
    hits: [
      `${MAIN};synchronize (warp/_src/context.py:12665)`,
      `${MAIN};synchronize_device (warp/context.py:5300)`,
    ],
    misses: [`${MAIN};synchronize (my/context.py:3)`],
  },
  {
    id: 'warp/read-back',
    bucket: 'physics',
    kind: 'gpu-wait',
    match: READ_BACK,
    leaf: true,
    yields: true,
    blocks: 'wait',
    why: 'A copy to the CPU waits for the GPU first; on a CPU device it is a view and takes no time.',
    hits: [`${MAIN};array.numpy (warp/_src/types.py:4708)`],
    misses: [`${MAIN};array.numpy (my/types.py:3)`],
  },
  {
    id: 'warp/graph-launch',
    bucket: 'physics',
    kind: 'launch',
    match: { name: 'capture_launch', file: CONTEXT },
    why: 'A recorded graph of kernels is launched; loops record their steps.',
    hits: [`${MAIN};capture_launch (warp/_src/context.py:14349)`],
    misses: [`${MAIN};capture_launch (my/context.py:3)`],
  },
];

export const WARP: RulePack = {
  id: 'warp',
  dated: '2026-11-30',
  title:
    'NVIDIA Warp, below MuJoCo Warp, Newton and Isaac Lab: compiling, graph launches, where the GPU wait lands',
  source: 'warp-lang 1.19.0',
  tested: 'warp-lang 1.19.0 on a CPU, CPython 3.11 (waits for a GPU not)',
  rules: RULES,
};
