import { ENGINE, EXECUTOR, PYTHON } from '../known-frames.js';
import { pacerRules } from '../pacer-rules.js';
import type { Rule, RulePack } from '../rule.js';

const RUN = '<module> (bridge.py:90);run (bridge.py:80)';
const THREAD = '_bootstrap (threading.py:973);_bootstrap_inner (threading.py:1016);run (threading.py:953)';
const STEP = `${RUN};step (bridge.py:41)`;
const BINDING = '0x7fd5 (mujoco/_functions.cpython-311-x86_64-linux-gnu.so)';
const NOT_PACERS = [
  'main (x.py:1);sleep (asyncio/tasks.py:605)',
  'main (x.py:1);wait (multiprocessing/connection.py:947)',
];

const GIL: readonly Rule[] = [
  {
    id: 'python/gil-take',
    bucket: 'gil-wait',
    match: {
      name: [
        'take_gil',
        'PyEval_RestoreThread',
        'PyEval_AcquireThread',
        'PyEval_AcquireLock',
        'PyGILState_Ensure',
      ],
      kind: ['native', 'unknown'],
    },
    blocks: 'wait',
    why: 'The thread is through with its work and waits until another Python thread lets the interpreter go.',
    hits: [
      `${STEP};mj_step (mujoco/_functions.so);PyEval_RestoreThread (libpython3.11.so.1.0);take_gil (libpython3.11.so.1.0);pthread_cond_timedwait@@GLIBC_2.3.2 (libc.so.6)`,
      '_bootstrap (threading.py:1002);spin (rclpy/executors.py:295);take_gil (libpython3.11.so.1.0);sched_yield (libc.so.6)',
    ],
    misses: [`${STEP};mj_step (mujoco/_functions.so);mj_forward (libmujoco.so.3.2.0)`],
  },
  {
    id: 'python/gil-after-call',
    bucket: 'gil-wait',
    match: { name: ['pthread_cond_timedwait', 'pthread_cond_clockwait'], kind: ['native', 'unknown'] },
    caller: [
      { module: ['*.cpython-*.so', '*.abi3.so', 'mujoco/_*.so'] },
      { module: ['libpython*', 'python3*'], name: ['time_*', 'os_*', 'sys_*'] },
    ],
    blocks: 'wait',
    why: 'An extension module that waits on a condition with a limit takes the GIL back after a call that had let it go.',
    hits: [`${STEP};${BINDING};pthread_cond_timedwait (libc.so.6);0x7fd5358a3f16 (libc.so.6)`],
    misses: [
      `${STEP};${BINDING};pthread_cond_signal (libc.so.6)`,
      'w;loop (libddsc.so);pthread_cond_timedwait (libc.so.6)',
    ],
  },
  {
    id: 'python/gil-hand-over',
    bucket: 'gil-wait',
    match: { name: ['pthread_cond_timedwait', 'pthread_cond_wait'], kind: ['native', 'unknown'] },
    caller: PYTHON,
    blocks: 'wait',
    why: 'The interpreter itself, between two instructions, was asked to hand the GIL over and waits for it.',
    hits: [`${THREAD};busy (gil.py:8);pthread_cond_wait (libc.so.6);0x7fd5358a3f16 (libc.so.6)`],
    misses: ['w;loop (libfastdds.so.2.14);pthread_cond_wait (libc.so.6)'],
  },
];

const GC: readonly Rule[] = [
  {
    id: 'python/gc-native',
    bucket: 'gc',
    match: {
      name: ['gc_collect*', '_PyGC_Collect*', 'PyGC_Collect', 'collect_generations', 'deduce_unreachable'],
      kind: 'native',
    },
    why: 'The interpreter looks for reference cycles.',
    hits: [`${RUN};gc_collect_main (libpython3.11.so.1.0);visit_decref (libpython3.11.so.1.0)`],
    misses: [`${RUN};gc_collect (mytool.py:3)`],
  },
  {
    id: 'python/gc-marker',
    bucket: 'gc',
    match: { name: '<GC>' },
    why: 'The sampler marks garbage collection with a frame of its own.',
    hits: [`${RUN};<GC>`],
    misses: [RUN],
  },
  {
    id: 'python/gc-line',
    bucket: 'gc',
    match: { source: 'gc.collect(' },
    leaf: true,
    why: 'The line asks for a collection.',
    hits: [`${RUN} #gc.collect()`],
    misses: [`${RUN} #self.collect()`],
  },
];

const PACERS: readonly Rule[] = [
  ...pacerRules({
    id: 'python/pace',
    match: { name: ['pace', 'pace_*', '_pace'], kind: 'python' },
    example: `${RUN};pace (thr.py:4)`,
    misses: NOT_PACERS,
  }),
  ...pacerRules({
    id: 'python/rate',
    match: {
      name: ['wait', 'sleep', 'tick', 'sync', 'throttle'],
      file: ['{pacer,pacing,rate,rate_limiter,ratelimiter,realtime,real_time}.py'],
    },
    example: `${RUN};RateLimiter.sleep (loop_rate_limiters/rate_limiter.py:90)`,
    misses: NOT_PACERS,
  }),
  {
    id: 'python/sleep-to-timestep',
    bucket: 'pacer',
    kind: 'sleep',
    match: {
      source: [
        'sleep(*timestep',
        'sleep(*next_step',
        'sleep(*remaining',
        'sleep(*elapsed',
        'sleep(*period',
        'sleep(dt',
        'sleep(*.dt',
        'sleep(*_dt',
        'sleep(1/',
        'sleep(1 /',
        'sleep(1./',
        'sleep(1.0/',
        'sleep(1.0 /',
        'sleep(1. /',
      ],
      notSource: ['retry', 'backoff', 'asyncio.sleep('],
    },
    leaf: true,
    notUnder: [ENGINE, EXECUTOR, { file: 'threading.py' }],
    blocks: 'sleep',
    why: 'The line sleeps for what is left of a time step.',
    hits: [
      `${RUN} #time.sleep(time_until_next_step)`,
      `${RUN} #time.sleep(1.0 / 240.0)`,
      `${RUN} #time.sleep(model.opt.timestep - spent)`,
    ],
    misses: [`${RUN} #time.sleep(retry_period)`, `${THREAD};poll (x.py:3) #time.sleep(period)`],
  },
];

const IDLE: readonly Rule[] = [
  {
    id: 'python/asyncio-idle',
    bucket: 'idle',
    kind: 'event-loop',
    match: { name: 'select', file: 'selectors.py' },
    under: { name: '_run_once', file: 'asyncio/base_events.py' },
    blocks: 'sleep',
    why: 'The event loop waits for the next timer or socket.',
    hits: [
      'main (x.py:1);run_forever (asyncio/base_events.py:600);_run_once (asyncio/base_events.py:1900);EpollSelector.select (selectors.py:468)',
    ],
    misses: ['main (x.py:1);sleep (asyncio/tasks.py:605)', 'main (x.py:1);select (selectors.py:468)'],
  },
  {
    id: 'python/pool-worker-line',
    bucket: 'idle',
    kind: 'pool',
    match: { name: '_worker', file: 'concurrent/futures/thread.py', source: 'work_queue.get' },
    leaf: true,
    blocks: 'wait',
    why: 'A worker of a thread pool waits for the next task.',
    hits: [`${THREAD};_worker (concurrent/futures/thread.py:81) #work_item = work_queue.get(block=True)`],
    misses: [`${THREAD};_worker (my/thread.py:81) #work_item = work_queue.get(block=True)`],
  },
  {
    id: 'python/pool-worker',
    bucket: 'idle',
    kind: 'pool',
    match: { name: '_worker', file: 'concurrent/futures/thread.py', sourceKnown: false },
    leaf: true,
    blocks: 'wait',
    why: 'As the leaf the worker of a thread pool waits for the next task.',
    hits: [`${THREAD};_worker (concurrent/futures/thread.py:81)`],
    misses: [`${THREAD};_worker (concurrent/futures/thread.py:81);run (concurrent/futures/thread.py:58)`],
  },
];

/** Blocking leaves: whatever claims a frame further out keeps its bucket, see `Rule.yields`. */
const BLOCKING: readonly Rule[] = [
  {
    id: 'python/sleep-line',
    bucket: 'idle',
    kind: 'sleep',
    match: { source: 'sleep(', notSource: ['asyncio.sleep(', 'await ', 'def '] },
    yields: true,
    blocks: 'sleep',
    why: 'The line sleeps, and no pacer, hook or bridge claims it.',
    hits: [`${RUN} #time.sleep(0.5)`],
    misses: [`${RUN} #await asyncio.sleep(0.5)`],
  },
  {
    id: 'python/native-sleep',
    bucket: 'idle',
    kind: 'sleep',
    match: {
      name: ['clock_nanosleep', 'nanosleep', 'usleep', 'time_sleep', '*__clock_nanosleep', '*__nanosleep'],
      kind: ['native', 'unknown'],
    },
    yields: true,
    blocks: 'sleep',
    why: 'The kernel sleeps for the thread, and nothing further out claims it.',
    hits: [`${RUN};time_sleep (libpython3.11.so.1.0);clock_nanosleep (libc.so.6)`],
    misses: [`${RUN};pace (pacer.py:31);clock_nanosleep (libc.so.6)`],
  },
  {
    id: 'python/thread-wait',
    bucket: 'idle',
    kind: 'wait',
    match: { name: ['wait', 'wait_for', 'join', '_wait_for_tstate_lock'], file: 'threading.py' },
    yields: true,
    blocks: 'wait',
    why: 'The thread waits until another one signals an event, fills a queue or ends.',
    hits: [`${THREAD};evwait (thr.py:12);Event.wait (threading.py:629);Condition.wait (threading.py:331)`],
    misses: [`${RUN};Condition.__enter__ (threading.py:275)`, `${RUN};join (posixpath.py:80)`],
  },
  {
    id: 'python/lock-acquire',
    bucket: 'lock-wait',
    match: { source: '.acquire(', notSource: ['blocking=False', 'acquire(False'] },
    yields: true,
    blocks: 'wait',
    why: 'The line takes a lock; a sample that stands on it waits for who holds it.',
    hits: [`${RUN} #self._mutex.acquire()`],
    misses: [`${RUN} #if self._mutex.acquire(blocking=False):`],
  },
  {
    id: 'python/lock-with',
    bucket: 'lock-wait',
    match: { source: ['with lock:', 'with *_lock:', 'with *.lock:'] },
    notUnder: ENGINE,
    yields: true,
    blocks: 'wait',
    why: 'A thread beside the loop takes a lock on this line; the loop itself passes such lines thousands of times a second without waiting.',
    hits: [`${RUN} #with self._state_lock:`],
    misses: [
      `${RUN} #with self._clock:`,
      'main (rover_sim/runner.py:60);step (rover_sim/engine.py:99) #self.ctx.drain_commands();drain_commands (rover_sim/context.py:40) #with self._lock:',
    ],
  },
  {
    id: 'python/native-lock',
    bucket: 'lock-wait',
    match: {
      name: [
        'sem_wait',
        'sem_clockwait',
        'sem_timedwait',
        '*new_sem_wait*',
        'pthread_mutex_lock',
        '__lll_lock_wait*',
        'pthread_cond_wait',
        'pthread_cond_timedwait',
        'pthread_cond_clockwait',
        'do_futex_wait',
        'futex_wait*',
        '__futex_abstimed_wait*',
        'lock_PyThread_acquire_lock',
      ],
      kind: ['native', 'unknown'],
    },
    yields: true,
    blocks: 'wait',
    why: 'The thread waits for a lock or a signal of another thread, and nothing further out claims it.',
    hits: [`${RUN};work (libmine.so);pthread_mutex_lock (libc.so.6)`],
    misses: [`${THREAD};busy (gil.py:8);pthread_cond_wait (libc.so.6)`],
  },
  {
    id: 'python/sqlite-commit',
    bucket: 'io-wait',
    kind: 'sqlite',
    match: { source: '.commit(' },
    yields: true,
    blocks: 'wait',
    why: 'A commit of sqlite waits until the disk has the data.',
    hits: ['record_execution (tracker.py:40) #self._db.commit()'],
    misses: ['record_execution (tracker.py:40) #self._db.execute(sql)'],
  },
  {
    id: 'python/socket-line',
    bucket: 'io-wait',
    match: {
      source: ['.recv(', '.recvfrom(', '.recv_into(', '.accept(', '.sendall(', '.connect(', 'os.fsync('],
    },
    yields: true,
    blocks: 'wait',
    why: 'The line waits for a socket or a disk.',
    hits: ['pump (link.py:40) #data = self._socket.recv(4096)'],
    misses: ['pump (link.py:40) #self._socket.sendto(data, address)'],
  },
  {
    id: 'python/poll',
    bucket: 'io-wait',
    match: { name: 'select', file: 'selectors.py' },
    yields: true,
    blocks: 'sleep',
    why: 'The thread waits until a descriptor is ready.',
    hits: ['main (x.py:1);EpollSelector.select (selectors.py:468)'],
    misses: ['main (x.py:1);_run_once (asyncio/base_events.py:1900);select (selectors.py:468)'],
  },
  {
    id: 'python/socket-read',
    bucket: 'io-wait',
    match: { name: ['readinto', 'read', 'recv_into', 'recv'], file: ['socket.py', 'ssl.py'] },
    yields: true,
    blocks: 'wait',
    why: 'The thread waits for data of a socket.',
    hits: ['main (x.py:1);SocketIO.readinto (socket.py:705)'],
    misses: ['main (x.py:1);read (json/decoder.py:3)'],
  },
  {
    id: 'python/native-poll',
    bucket: 'io-wait',
    match: {
      name: ['poll', '__poll', 'ppoll', 'select', 'epoll_wait', 'epoll_pwait', '__select'],
      module: 'libc{.so,-}*',
    },
    yields: true,
    blocks: 'sleep',
    why: 'The thread waits until a descriptor is ready.',
    hits: ['main (x.py:1);work (libmine.so);poll (libc.so.6)'],
    misses: ['main (x.py:1);poll (mylib.py:3)'],
  },
  {
    id: 'python/native-io',
    bucket: 'io-wait',
    match: {
      name: [
        'read',
        '__read',
        'pread64',
        'readv',
        'write',
        '__write',
        'pwrite64',
        'writev',
        'recv',
        'recvfrom',
        'recvmsg',
        '__recv*',
        'fsync',
        'fdatasync',
        'accept',
        'accept4',
        'connect',
      ],
      module: 'lib{c,pthread}{.so,-}*',
    },
    yields: true,
    blocks: 'wait',
    why: 'The thread is in a system call that moves data, and nothing further out claims it.',
    hits: ['main (x.py:1);unixSync (libsqlite3.so.0);fdatasync (libc.so.6)'],
    misses: ['main (x.py:1);read (mylib.py:3)'],
  },
];

const LOOP: readonly Rule[] = [
  {
    id: 'python/script-step',
    bucket: 'python',
    match: { name: 'step', file: '^*.py', sourceKnown: false },
    leaf: true,
    why: 'A function called step in a script without a package: the loop, and perhaps physics, but no text of its line to tell.',
    hits: [STEP],
    misses: ['main (train.py:1);step (torch/optim/adam.py:150)', `${STEP} #mujoco.mj_step(model, data)`],
  },
  {
    id: 'python/script-step-line',
    bucket: 'python',
    match: { name: 'step', file: '^*.py', sourceKnown: true },
    why: 'A function called step in a script without a package, on a line that calls no engine, is the loop.',
    hits: [`${STEP} #self.time += dt`],
    misses: [`${STEP} #mujoco.mj_step(model, data)`, STEP],
  },
];

export const PYTHON_PACK: RulePack = {
  id: 'python',
  dated: '2026-11-29',
  title: 'Python itself: GIL, garbage collection, pacing functions, sleeps, locks, input and output',
  rules: [...GIL, ...GC, ...PACERS, ...IDLE, ...BLOCKING, ...LOOP],
};
