import type { Frame, Thread } from '../model/index.js';
import type { Claim } from './rule.js';

/**
 * What a thread is for. `driver`: pixels of software rendering or other work of the graphics driver. `middleware`: DDS.

 * `pool`: does parts of other threads' work (OpenMP, MuJoCo's pool, a numerics library). `idle`: waited through the window. `other`: works, at nothing the rules know.
 */
export type ThreadRole =
  | 'physics'
  | 'executor'
  | 'driver'
  | 'middleware'
  | 'pool'
  | 'idle'
  | 'other'
  | 'unknown';

const ROLE_BY_NAME: readonly (readonly [RegExp, Exclude<ThreadRole, 'physics'>])[] = [
  [/^(?:llvmpipe|swrast|swr|softpipe)[-:_]?\d+$/, 'driver'],
  [/:(?:disk|gdrv|sh|cs|gl)\$?\d+$/, 'driver'],
  [/^(?:dds|dq)\./, 'middleware'],
];

/** Where threads of a pool spend their life: GNU and LLVM OpenMP, both pools of MuJoCo, OpenBLAS, Eigen, oneTBB. Their names say nothing. */
const POOL =
  /^(?:gomp_thread_start|__kmp_launch_(?:worker|thread)|ThreadPoolContext::Worker|mujoco::user::ThreadPool::WorkerThread|blas_thread_server|Eigen::ThreadPoolTempl<.*>::WorkerLoop|tbb::detail::\w+::rml::private_worker::run)\b/;

/** OpenMP of GNU, LLVM and Intel: where such a library is stripped, only its own name tells. */
const POOL_LIBRARY = /(?:^|\/)lib(?:gomp|omp|iomp5)\.so/;
/** How far below its start a thread enters what it lives in: clone3, start_thread, then that. A thread that only calls it has more above. */
const ENTRY_DEPTH = 4;

/** Whether a thread began in a pool, by one of its stacks, root first. */
function livesInPool(frames: readonly Frame[]): boolean {
  return (
    frames.some(({ name }) => POOL.test(name)) ||
    frames.slice(0, ENTRY_DEPTH).some(({ module = '' }) => POOL_LIBRARY.test(module))
  );
}

/** Share of a thread's samples from which on it counts as idle. */
const IDLE_FROM = 0.95;

/** Role of a thread by its name alone, for threads that no sampler saw: drivers and middleware have no Python frames. */
export function roleOfName(name: string | undefined): Exclude<ThreadRole, 'physics'> | undefined {
  return name === undefined ? undefined : ROLE_BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
}

/**
 * Role of one thread that is not the physics thread, by its name and its samples pooled by stack (row or -1). Whether it
 * is the physics thread is decided over all threads, by `findPhysicsThread`.
 */
export function threadRole(
  thread: Thread,
  pooled: readonly { readonly stack: number; readonly weight: number }[],
  claimOf: (stack: number) => Claim,
  framesOf: (stack: number) => readonly Frame[],
): Exclude<ThreadRole, 'physics'> {
  const named = roleOfName(thread.name);
  if (named !== undefined) return named;
  const seen = pooled
    .filter(({ stack }) => stack >= 0)
    .map(({ stack, weight }) => ({ claim: claimOf(stack), frames: framesOf(stack), weight }));
  const all = seen.reduce((sum, { weight }) => sum + weight, 0);
  if (all === 0) return 'unknown';
  const ofPool = seen.filter(({ frames }) => livesInPool(frames));
  if (ofPool.reduce((sum, { weight }) => sum + weight, 0) > 0.5 * all) return 'pool';
  const part = (fits: (claim: Claim) => boolean): number =>
    seen.reduce((sum, { claim, weight }) => sum + (fits(claim) ? weight : 0), 0) / all;
  if (part(({ kind, bucket }) => kind === 'driver' && (bucket === 'render' || bucket === 'idle')) > 0.5)
    return 'driver';
  if (part(({ kind, bucket }) => kind === 'middleware' && (bucket === 'executor' || bucket === 'idle')) > 0.5)
    return 'middleware';
  if (part(isExecutor) > 0.5) return 'executor';
  return part(({ bucket }) => bucket === 'idle') >= IDLE_FROM ? 'idle' : 'other';
}

/** Executor work, and the waiting of an executor, which alone of all idle claims has no kind. */
function isExecutor({ bucket, kind }: Claim): boolean {
  return bucket === 'executor' || (bucket === 'idle' && kind === undefined);
}
