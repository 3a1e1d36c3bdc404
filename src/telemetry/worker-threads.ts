/**
 * How threads of a program find each other's buffers. A thread says once of each category where it is; nothing is sent for a span. What was sent
 * can be taken at any moment, also by a main thread that never gave its event loop a turn, and of a thread that is no more.
 *
 * Two channels: `up` is heard by the main thread alone, `down` tells workers that it has begun to listen, for those that were first.
 */
import { BroadcastChannel, isMainThread, receiveMessageOnPort, threadId } from 'node:worker_threads';
import type { MessagePort, Worker } from 'node:worker_threads';
import { LAYOUT, UNUSED } from './category.js';
import { putTogether } from './ended-threads.js';
import type { Life, Threads } from './platform.js';
import { isSource } from './reading.js';
import type { CategorySource } from './reading.js';

export function threadsOf(name: string, endedThreads: number): Threads {
  const channel = `sim-profiler.telemetry.${LAYOUT}.${name}`;
  return isMainThread ? mainThread(channel, endedThreads) : workerThread(channel);
}

/** Heard at any turn of the event loop, and whenever `drain` is called; the program does not stay alive for it. */
function listen(name: string, hear: (message: unknown) => void): () => void {
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', (event) => hear((event as MessageEvent).data));
  channel.unref();
  // Node takes it, its types do not know.
  const port = channel as unknown as MessagePort;
  return () => {
    for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port))
      hear((got as { readonly message: unknown }).message);
  };
}

function post(name: string, message: unknown): void {
  const channel = new BroadcastChannel(name);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows
  channel.postMessage(message);
  channel.close();
}

function pause(words: Int32Array): void {
  // Nobody ever writes or wakes it.
  Atomics.wait(words, UNUSED, 0, 1);
}

type AtEnd = (thread: number) => void;

/** This thread, or one that it started, ends. One listener for all telemetries: the program may count them. */
function atThreadEnd(hear: AtEnd): void {
  const key = Symbol.for(`sim-profiler.telemetry.ends.${LAYOUT}`);
  const store = globalThis as Record<symbol, AtEnd[] | undefined>;
  const known = store[key];
  if (known !== undefined) {
    known.push(hear);
    return;
  }
  const all = [hear];
  store[key] = all;
  const tell = (thread: number): void => {
    for (const one of all) one(thread);
  };
  if (!isMainThread) process.on('exit', () => tell(threadId));
  else
    process.on('worker', (worker: Worker) => {
      // Afterwards it has none.
      const thread = worker.threadId;
      // Before those of the program, which may ask at once.
      worker.prependOnceListener('exit', () => tell(thread));
    });
}

interface Heard {
  readonly id: number;
  readonly categories: Map<string, CategorySource>;
  hasEnded: boolean;
}

function mainThread(channel: string, endedThreads: number): Threads {
  /** By thread id, which a program gives to one thread only. */
  const lives = new Map<number, Heard>();
  const older = new Map<string, CategorySource>();
  let olderCount = 0;
  const lifeOf = (id: number): Heard => {
    const life = lives.get(id) ?? { id, categories: new Map(), hasEnded: false };
    lives.set(id, life);
    return life;
  };
  const makeRoom = (): void => {
    const ended = [...lives.values()].filter(({ hasEnded }) => hasEnded);
    for (const life of ended.slice(0, Math.max(0, ended.length - endedThreads))) {
      putTogether(older, [...life.categories.values()]);
      lives.delete(life.id);
      olderCount++;
    }
  };
  const drain = listen(`${channel}.up`, (message) => {
    const { thread, source, hasEnded } = (message ?? {}) as Partial<Announcement>;
    if (typeof thread !== 'number') return;
    if (isSource(source)) lifeOf(thread).categories.set(source.name, source);
    const life = lives.get(thread);
    if (hasEnded === true && life !== undefined) life.hasEnded = true;
    makeRoom();
  });
  atThreadEnd((id) => {
    drain();
    const life = lives.get(id);
    if (life !== undefined) life.hasEnded = true;
    makeRoom();
  });
  post(`${channel}.down`, 'listening');
  return {
    label: 'main',
    announce: () => {},
    pause,
    others(): readonly Life[] {
      drain();
      const known = [...lives.values()].map(({ id, hasEnded, categories }) => ({
        label: `worker ${id}`,
        hasEnded,
        categories: [...categories.values()],
      }));
      if (olderCount === 0) return known;
      const label = `${olderCount} older thread${olderCount === 1 ? '' : 's'}`;
      return [...known, { label, hasEnded: true, categories: [...older.values()] }];
    },
  };
}

interface Announcement {
  readonly thread: number;
  readonly source?: CategorySource;
  readonly hasEnded?: boolean;
}

function workerThread(channel: string): Threads {
  const sources: CategorySource[] = [];
  const say = (announcement: Omit<Announcement, 'thread'>): void =>
    post(`${channel}.up`, { thread: threadId, ...announcement });
  const drain = listen(`${channel}.down`, () => {
    for (const source of sources) say({ source });
  });
  atThreadEnd(() => {
    drain();
    say({ hasEnded: true });
  });
  return {
    label: `worker ${threadId}`,
    announce(source) {
      drain();
      sources.push(source);
      say({ source });
    },
    others: () => [],
    pause,
  };
}
