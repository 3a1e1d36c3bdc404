import type { Profile, Thread } from '../model/index.js';
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

/** Which stacks tell that their thread began in a pool, by row of the stack table. One pass: the stacks of a large profile share most frames. */
export function stacksInPools({
  frames,
  stacks,
}: Pick<Profile, 'frames' | 'stacks'>): (stack: number) => boolean {
  const starts = Uint8Array.from(frames, ({ name }) => (POOL.test(name) ? 1 : 0));
  const libraries = Uint8Array.from(frames, ({ module = '' }) => (POOL_LIBRARY.test(module) ? 1 : 0));
  const inPool = new Uint8Array(stacks.length);
  const depth = new Int32Array(stacks.length);
  for (let row = 0; row < stacks.length; row += 1) {
    const above = stacks.parent[row] as number;
    const frame = stacks.frame[row] as number;
    const at = above < 0 ? 0 : (depth[above] as number) + 1;
    depth[row] = at;
    const isEntry = starts[frame] === 1 || (at < ENTRY_DEPTH && libraries[frame] === 1);
    inPool[row] = isEntry || (above >= 0 && inPool[above] === 1) ? 1 : 0;
  }
  return (stack) => inPool[stack] === 1;
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
  isInPool: (stack: number) => boolean,
): Exclude<ThreadRole, 'physics'> {
  const named = roleOfName(thread.name);
  if (named !== undefined) return named;
  const seen = pooled
    .filter(({ stack }) => stack >= 0)
    .map(({ stack, weight }) => ({ claim: claimOf(stack), stack, weight }));
  const all = seen.reduce((sum, { weight }) => sum + weight, 0);
  if (all === 0) return 'unknown';
  const ofPool = seen.filter(({ stack }) => isInPool(stack));
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
