import { callName, isGraphLaunch, isLaunch, isPreparation, isWait, rangeName } from './nsys-names.js';
import type { CostRow, TableKind } from './table.js';

type Said = Pick<CostRow, 'meaning' | 'lever'> & { readonly role?: CostRow['role'] };

/** Ranges of FlyGym's scripts, by `wp.ScopedTimer`. */
const RANGES: Readonly<Record<string, Said>> = {
  warmup: { role: 'once', meaning: 'before the loop that is timed: kernels are compiled and loaded' },
  timed_run: { meaning: 'the loop that is timed, all steps of it' },
  step: {
    role: 'step',
    meaning: 'what the host does of one step: the launch, not what the GPU then does',
  },
};

/** Kernels of FlyGym's GPU script itself. Warp adds a hash and `_cuda_kernel_forward` to the name. */
const OWN_KERNELS: Readonly<Record<string, string>> = {
  update_target_angles_kernel: 'of FlyGym: the targets of the actuators for this step',
  record_joint_angles_kernel: 'of FlyGym: keeps the joint angles (--save-data)',
  increment_counter_kernel: 'of FlyGym: counts the step',
};

/** A row with what is known of its name. */
export function nsysRow(kind: TableKind, row: Omit<CostRow, 'path' | 'role'>): CostRow {
  const { role = 'part', ...said } = saidOf(kind, row.name) ?? {};
  return { ...row, path: [], role, ...said };
}

function saidOf(kind: TableKind, name: string): Said | undefined {
  if (kind === 'nsys-nvtx') return RANGES[rangeName(name)];
  if (kind === 'nsys-cuda-api') return saidOfCall(callName(name));
  if (kind !== 'nsys-kernels') return undefined;
  const own = Object.entries(OWN_KERNELS).find(([kernel]) => name.startsWith(kernel));
  return own === undefined ? undefined : { meaning: own[1] };
}

function saidOfCall(name: string): Said | undefined {
  if (isWait(name))
    return {
      meaning: 'the host waits until the GPU is done: time of the GPU, not of the host',
      lever: 'wait once after many steps',
    };
  if (isGraphLaunch(name))
    return { meaning: 'hands a whole graph to the GPU, and returns before that has run' };
  if (isLaunch(name))
    return {
      meaning: 'hands one kernel to the GPU, and returns before that has run',
      lever: 'capture the step as one CUDA graph (wp.ScopedCapture)',
    };
  if (isPreparation(name)) return { role: 'once', meaning: 'loads or compiles code, or makes a graph ready' };
  if (/^cu(?:da)?Memcpy(?!\w*Async)/.test(name))
    return { meaning: 'the host waits until it is copied', lever: 'leave data on the GPU' };
  if (/^cu(?:da)?(?:Mem)?(?:Malloc|Alloc|Free)(?!\w*Async)/.test(name))
    return { meaning: 'may wait for all work of the GPU', lever: 'allocate once, before the loop' };
  return undefined;
}
