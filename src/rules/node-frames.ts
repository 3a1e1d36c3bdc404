import type { FramePattern } from './rule.js';

/** A function by which the event loop of Node enters JavaScript, with an example of its frame. */
export interface LoopEntry {
  /** End of the rules' ids. */
  readonly id: string;
  readonly match: FramePattern;
  readonly example: string;
}

/** Names and files as Node 20 and 24 have them. */
export const LOOP_ENTRIES: readonly LoopEntry[] = [
  {
    id: 'loop-timers',
    match: { name: ['processTimers', 'listOnTimeout', 'processImmediate'], file: 'node:internal/timers' },
    example: 'processTimers (node:internal/timers:504);listOnTimeout (node:internal/timers:524)',
  },
  {
    id: 'loop-microtasks',
    match: {
      name: ['processTicksAndRejections', 'runNextTicks', 'runMicrotask'],
      file: 'node:internal/process/task_queues',
    },
    example: 'processTicksAndRejections (node:internal/process/task_queues:67)',
  },
  {
    id: 'loop-streams',
    match: { name: ['onStreamRead', 'onWriteComplete'], file: 'node:internal/stream_base_commons' },
    example: 'onStreamRead (node:internal/stream_base_commons:168)',
  },
  {
    id: 'loop-sockets',
    match: { name: ['onconnection', 'afterConnect', 'onMessage'], file: 'node:{net,dgram}' },
    example: 'onconnection (node:net:2100)',
  },
  {
    id: 'loop-zlib',
    match: { name: 'processCallback', file: 'node:zlib' },
    example: 'processCallback (node:zlib:500)',
  },
  {
    id: 'loop-children',
    match: { name: ['channel.onread', 'ChildProcess._handle.onexit'], file: 'node:internal/child_process' },
    example: 'channel.onread (node:internal/child_process:613)',
  },
  {
    id: 'loop-workers',
    match: { file: 'node:internal/per_context/messageport' },
    example: '(anonymous) (node:internal/per_context/messageport:19)',
  },
];

/** Callbacks of timers: what they start again is a loop that holds its own period. */
export const TIMER_CALLBACKS: readonly FramePattern[] = [
  { name: ['processTimers', 'listOnTimeout'], file: 'node:internal/timers' },
];
export const IMMEDIATE_CALLBACKS: FramePattern = { name: 'processImmediate', file: 'node:internal/timers' };

/** The side of `ws` that sends: frames, masks, compresses. */
export const WS_SENDER: FramePattern = { file: 'ws/lib/sender.js' };
export const WS_RECEIVER: FramePattern = { file: 'ws/lib/receiver.js' };

/** Functions that hold a loop to real time, by the names that people give them. */
export const PACING_NAMES = [
  'pace',
  'pace_*',
  '_pace',
  'paceLoop',
  'paceUntil*',
  'waitUntil*',
  'waitForNext*',
  'waitForDeadline',
  'waitForTick',
  'sleepUntil*',
  'spinUntil*',
  'busyWait*',
  'busySleep*',
  'spinWait*',
  'sleepSync',
] as const;
