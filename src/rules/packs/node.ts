import {
  IMMEDIATE_CALLBACKS,
  LOOP_ENTRIES,
  PACING_NAMES,
  TIMER_CALLBACKS,
  WS_RECEIVER,
  WS_SENDER,
} from '../node-frames.js';
import type { LoopEntry } from '../node-frames.js';
import type { FramePattern, Rule, RulePack } from '../rule.js';

const TIMERS = 'processTimers (node:internal/timers:504);listOnTimeout (node:internal/timers:524)';
const IMMEDIATE = 'processImmediate (node:internal/timers:438)';
const TICK = `${TIMERS};tick (/app/bridge.mjs:16)`;
const SCAN = `${TICK};sendScan (/app/bridge.mjs:12)`;
const TICKS = 'processTicksAndRejections (node:internal/process/task_queues:67)';
const READ =
  'onStreamRead (node:internal/stream_base_commons:168);Readable.push (node:internal/streams/readable:387);addChunk (node:internal/streams/readable:550);emit (node:events:471)';
const WS = '/app/node_modules/ws/lib';
const SEND = `${SCAN};send (${WS}/websocket.js:476);send (${WS}/sender.js:354);sendFrame (${WS}/sender.js:566)`;
const RECEIVE = `${READ};socketOnData (${WS}/websocket.js:1437);Writable.write (node:internal/streams/writable:504);_write (${WS}/receiver.js:96);startLoop (${WS}/receiver.js:172)`;
const COMMAND = `${RECEIVE};receiverOnMessage (${WS}/websocket.js:1281);emit (node:events:471);onCommand (/app/bridge.mjs:6)`;
const SOCKET_WRITE =
  'Writable.write (node:internal/streams/writable:504);Socket._writeGeneric (node:net:927);writeGeneric (node:internal/stream_base_commons:148);writeBuffer';
const RCL = '/app/node_modules/rclnodejs';
const ROSLIB = '/app/node_modules/roslib';
const RCL_PUBLISHER: FramePattern = { file: 'rclnodejs/lib/{publisher,lifecycle_publisher}.js' };
const CHANNEL = 'channel.onread (node:internal/child_process:613)';
const PORT = '(anonymous) (node:internal/per_context/messageport:19)';
const JS = { kind: 'js' } as const;

const STATES: readonly Rule[] = [
  {
    id: 'node/idle',
    bucket: 'idle',
    kind: 'event-loop',
    match: { name: '(idle)', kind: ['marker', 'unknown'] },
    blocks: 'sleep',
    why: 'V8 says that no JavaScript runs: the event loop waits for a timer, a socket or another thread, and a loop paced by timers waits here too.',
    hits: ['(idle)'],
    misses: ['(program)', 'main (x.py:1);(idle) (idle.py:3)'],
  },
  {
    id: 'node/garbage-collector',
    bucket: 'gc',
    match: { name: '(garbage collector)', kind: ['marker', 'unknown'] },
    why: 'V8 collects garbage, and all JavaScript of the thread stands still.',
    remedy: {
      text: 'Reuse message objects and typed arrays from step to step, or give the young generation more room: node --max-semi-space-size=64.',
      source: 'nodejs.org, Command-line API, --max-semi-space-size',
      above: 0.05,
    },
    hits: ['(garbage collector)', `${TICK};(garbage collector)`],
    misses: ['(program)'],
  },
  {
    id: 'node/program',
    bucket: 'executor',
    kind: 'program',
    match: { name: '(program)', kind: ['marker', 'unknown'] },
    why: 'Native code of Node that no JavaScript called: the event loop itself, system calls, messages being received.',
    hits: ['(program)'],
    misses: ['(idle)'],
  },
];

const PACING: readonly Rule[] = [
  {
    id: 'node/pacing-function',
    bucket: 'pacer',
    match: { name: PACING_NAMES, ...JS },
    leaf: true,
    whenBlocked: { kind: 'sleep' },
    why: 'A function named for it holds the loop to real time, by Atomics.wait or by watching the clock: both are built in and leave no frame of their own.',
    remedy: {
      text: 'Atomics.wait blocks sockets and timers of its thread: pace in a worker, or with setTimeout against an absolute due time.',
      source: 'tc39.es, ECMAScript, Atomics.wait; nodejs.org, Worker threads',
      above: 0.1,
    },
    hits: [
      'atomicsLoop (/app/sim.mjs:6);waitUntil (/app/sim.mjs:5)',
      `${TICK};busyWait (/app/sim.mjs:11);now`,
    ],
    misses: ['main (x.py:1);waitUntil (x.py:3)', `${TICK};waitUntil (/app/sim.mjs:5);step (/app/sim.mjs:3)`],
  },
  {
    id: 'node/pacing-clock',
    bucket: 'pacer',
    kind: 'spin',
    match: {
      name: ['now', 'hrtime', 'hrtimeBigInt'],
      file: 'node:internal/{perf/performance,process/per_thread}',
    },
    caller: { name: PACING_NAMES, ...JS },
    why: 'The pacing function asks for the time again and again.',
    hits: ['busyWait (/app/sim.mjs:11);now (node:internal/perf/performance:137);now'],
    misses: [`${TICK};now (node:internal/perf/performance:137)`],
  },
  {
    id: 'node/pacing-file',
    bucket: 'pacer',
    match: {
      name: ['wait', 'sleep', 'tick', 'sync', 'throttle', 'pause'],
      file: '{pacer,pacing,rate,rate-limiter,rateLimiter,realtime,real-time,realTime}.{js,mjs,cjs,ts}',
    },
    leaf: true,
    why: 'A module named for it holds the loop to real time.',
    hits: ['run (/app/sim.mjs:6);wait (/app/src/pacer.js:12)'],
    misses: ['run (/app/sim.mjs:6);wait (/app/src/queue.js:12)'],
  },
  {
    id: 'node/timer-loop',
    bucket: 'pacer',
    kind: 'schedule',
    match: { name: ['setTimeout', 'setInterval'], file: 'node:timers' },
    under: TIMER_CALLBACKS,
    why: 'A callback of a timer sets the next one: a loop that holds its period by setTimeout; its waiting is in (idle).',
    hits: [
      `${TICK};setTimeout (node:timers:135)`,
      `${TICK};setTimeout (node:timers:135);Timeout (node:internal/timers:165)`,
    ],
    misses: ['main (/app/x.mjs:1);setTimeout (node:timers:135)'],
  },
  {
    id: 'node/timer-promise',
    bucket: 'pacer',
    kind: 'schedule',
    match: { name: ['setTimeout', 'wait'], file: 'node:timers/promises' },
    why: 'An awaited sleep of node:timers/promises is set up; the waiting itself is in (idle).',
    hits: [`${TICKS};pacePromises (/app/sim.mjs:9);setTimeout (node:timers/promises:39)`],
    misses: [`${TICKS};pacePromises (/app/sim.mjs:9)`],
  },
  {
    id: 'node/immediate-loop',
    bucket: 'pacer',
    kind: 'spin',
    match: { name: 'setImmediate', file: ['node:timers', 'node:timers/promises'] },
    under: IMMEDIATE_CALLBACKS,
    why: 'A callback of setImmediate asks to be run again at once: a loop that spins until its step is due.',
    hits: [
      `${IMMEDIATE};spin (/app/sim.mjs:8);setImmediate (node:timers:282);Immediate (node:internal/timers:627)`,
    ],
    misses: [`${TICK};setImmediate (node:timers:282)`],
  },
  {
    id: 'node/immediate-turn',
    bucket: 'pacer',
    kind: 'spin',
    match: { name: ['spin', 'spin_*', 'spinLoop', 'poll*'], ...JS },
    caller: IMMEDIATE_CALLBACKS,
    leaf: true,
    why: 'The callback of setImmediate looks whether its step is due.',
    hits: [`${IMMEDIATE};spin (/app/sim.mjs:8)`],
    misses: [`${IMMEDIATE};spin (/app/sim.mjs:8);step (/app/sim.mjs:3)`, `${TICK};spin (/app/sim.mjs:8)`],
  },
];

const SERIALISING: readonly Rule[] = [
  {
    id: 'node/json-stringify',
    bucket: 'publishing',
    kind: 'serialize',
    match: {
      name: ['stringify', 'JsonStringify', 'toJSON'],
      kind: ['native', 'js', 'unknown'],
    },
    label: { from: 'message' },
    why: 'Objects are turned into JSON text; V8 often leaves no frame for it and charges the caller.',
    remedy: {
      text: 'Send arrays as typed arrays in binary frames (CBOR or MessagePack), and make the text once for all clients.',
      source: 'RobotWebTools/rosbridge_suite, protocol specification: CBOR compression',
      above: 0.05,
    },
    hits: [`${SCAN};JsonStringify`, `${SCAN};stringify (/app/node_modules/safe-stable-stringify/index.js:9)`],
    misses: [SCAN, `${SCAN};JsonParse`],
  },
  {
    id: 'node/json-parse',
    bucket: 'executor',
    kind: 'take',
    match: { name: 'JsonParse', kind: ['native', 'unknown'] },
    why: 'Text that was received is turned into objects.',
    hits: [`${COMMAND};JsonParse`],
    misses: [`${COMMAND};parse (/app/node_modules/yaml/dist/parse.js:1)`],
  },
  {
    id: 'node/encode-library',
    bucket: 'publishing',
    kind: 'serialize',
    match: {
      name: ['encode*', 'pack*', 'serialize*', 'write*', 'finish*', 'calculateSize*', 'doEncode*'],
      file: [
        'node_modules/{protobufjs,google-protobuf,msgpackr,msgpack-lite,notepack.io,cbor,cbor-x,cbor2,bson,flatbuffers,fast-json-stringify}/',
        'node_modules/@msgpack/msgpack/',
        'node_modules/@foxglove/{cdr,rosmsg-serialization,rosmsg2-serialization}/',
      ],
    },
    label: { from: 'message' },
    why: 'A library turns a message into bytes.',
    hits: [`${SCAN};encode (/app/node_modules/@msgpack/msgpack/dist/encode.js:10)`],
    misses: [
      `${SCAN};encode (/app/src/codec.js:10)`,
      `${COMMAND};decode (/app/node_modules/@msgpack/msgpack/dist/decode.js:3)`,
    ],
  },
  {
    id: 'node/decode-library',
    bucket: 'executor',
    kind: 'take',
    match: {
      name: ['decode*', 'unpack*', 'deserialize*', 'read*', 'parse*', 'doDecode*'],
      file: [
        'node_modules/{protobufjs,google-protobuf,msgpackr,msgpack-lite,notepack.io,cbor,cbor-x,cbor2,bson,flatbuffers}/',
        'node_modules/@msgpack/msgpack/',
        'node_modules/@foxglove/{cdr,rosmsg-serialization,rosmsg2-serialization}/',
      ],
    },
    why: 'A library turns received bytes into a message.',
    hits: [`${COMMAND};decode (/app/node_modules/@msgpack/msgpack/dist/decode.js:3)`],
    misses: [`${COMMAND};decode (/app/src/codec.js:3)`],
  },
  {
    id: 'node/serializer',
    bucket: 'publishing',
    kind: 'serialize',
    match: { name: ['serialize', 'DefaultSerializer*'], file: 'node:v8' },
    why: 'The serializer of V8 copies objects into bytes.',
    hits: [`${TICK};serialize (node:v8:386)`],
    misses: [`${TICK};deserialize (node:v8:399)`, `${TICK};serialize (/app/x.mjs:3)`],
  },
  {
    id: 'node/deserializer',
    bucket: 'executor',
    kind: 'take',
    match: { name: ['deserialize', 'DefaultDeserializer*'], file: 'node:v8' },
    why: 'The deserializer of V8 turns bytes back into objects.',
    hits: [`${TICK};deserialize (node:v8:399);DefaultDeserializer (node:v8:352)`],
    misses: [`${TICK};serialize (node:v8:386)`],
  },
  {
    id: 'node/post-message',
    bucket: 'publishing',
    kind: 'serialize',
    match: { name: ['postMessage', 'structuredClone'], kind: ['native', 'js', 'unknown'] },
    why: 'Everything posted to another thread is copied on the thread that posts.',
    remedy: {
      text: 'Transfer the ArrayBuffers of a message instead of copying them, or keep the state in a SharedArrayBuffer.',
      source: 'nodejs.org, Worker threads, port.postMessage(value, transferList)',
      above: 0.05,
    },
    hits: [`${TICK};postMessage (node:internal/worker:382);postMessage`, `${TICK};structuredClone`],
    misses: [`${PORT};onState (/app/sim.mjs:3)`],
  },
];

const ROS: readonly Rule[] = [
  {
    id: 'node/rclnodejs-build-received',
    bucket: 'executor',
    kind: 'take',
    match: { file: 'rclnodejs/{generated,third_party}/' },
    under: { name: 'execute', file: 'rclnodejs/lib/node.js' },
    notUnder: RCL_PUBLISHER,
    why: 'A received message is turned into an object of its generated class.',
    hits: [
      `execute (${RCL}/lib/node.js:233);deserialize (${RCL}/generated/sensor_msgs/sensor_msgs__msg__Joy.js:90)`,
    ],
    misses: [
      `${TICK};publish (${RCL}/lib/publisher.js:59);serialize (${RCL}/generated/sensor_msgs/sensor_msgs__msg__LaserScan.js:80)`,
    ],
  },
  {
    id: 'node/rclnodejs-build',
    bucket: 'publishing',
    kind: 'message-build',
    match: { file: 'rclnodejs/{generated,third_party}/' },
    label: { from: 'message' },
    why: 'Generated classes of rclnodejs copy a message field by field.',
    hits: [
      `${TICK};publish (${RCL}/lib/publisher.js:59);serialize (${RCL}/generated/sensor_msgs/sensor_msgs__msg__LaserScan.js:80)`,
    ],
    misses: [`${TICK};serialize (/app/generated/x.js:3)`],
  },
  {
    id: 'node/rclnodejs-publish',
    bucket: 'publishing',
    match: RCL_PUBLISHER,
    label: { from: 'message' },
    why: 'The publisher of rclnodejs converts the message and hands it to the middleware on this thread.',
    hits: [`${TICK};publish (${RCL}/lib/publisher.js:59);publish`],
    misses: [`${TICK};publish (/app/lib/publisher_pool.js:59)`],
  },
  {
    id: 'node/rclnodejs-rate',
    bucket: 'pacer',
    kind: 'schedule',
    match: { name: 'sleep', file: 'rclnodejs/lib/rate.js' },
    why: 'A rate of rclnodejs holds the loop to its period; the waiting itself is in (idle).',
    hits: [`${TICKS};loop (/app/bridge.mjs:9);sleep (${RCL}/lib/rate.js:75)`],
    misses: [`${TICKS};loop (/app/bridge.mjs:9);isCanceled (${RCL}/lib/rate.js:108)`],
  },
  {
    id: 'node/rclnodejs-callback',
    bucket: 'executor',
    kind: 'callback',
    match: { file: 'rclnodejs/lib/{node,subscription,timer,service,client}.js' },
    leaf: false,
    why: 'What the executor of rclnodejs calls and nothing else claims is a callback of the user.',
    hits: [
      `execute (${RCL}/lib/node.js:233);processResponse (${RCL}/lib/subscription.js:60);onCommand (/app/bridge.mjs:6)`,
    ],
    misses: [`execute (${RCL}/lib/node.js:233)`],
  },
  {
    id: 'node/rclnodejs',
    bucket: 'executor',
    kind: 'middleware',
    match: { file: 'rclnodejs/' },
    notUnder: RCL_PUBLISHER,
    why: 'Everything else that rclnodejs does: its wait set, takes, services, parameters.',
    hits: [`execute (${RCL}/lib/node.js:233);rclTake`],
    misses: [`${TICK};publish (${RCL}/lib/publisher.js:59)`],
  },
  {
    id: 'node/roslib-publish',
    bucket: 'publishing',
    match: {
      name: ['publish', 'callOnConnection', 'sendEncodedMessage', 'send', 'callService', 'advertise'],
      file: 'roslib/',
    },
    label: { from: 'message' },
    why: 'The client library roslib wraps the message into an operation of rosbridge, turns it into JSON and sends it.',
    hits: [`${TICK};publish (${ROSLIB}/dist/RosLib.js:324);callOnConnection (${ROSLIB}/dist/RosLib.js:980)`],
    misses: [`${READ};handleRawMessage (${ROSLIB}/dist/RosLib.js:860)`, `${TICK};publish (/app/roslib.js:3)`],
  },
  {
    id: 'node/roslib-callback',
    bucket: 'executor',
    kind: 'callback',
    match: { file: 'roslib/' },
    leaf: false,
    why: 'What roslib calls for a message and nothing else claims is a callback of the user.',
    hits: [`${READ};handleRawMessage (${ROSLIB}/dist/RosLib.js:860);onScan (/app/bridge.mjs:6)`],
    misses: [`${READ};handleRawMessage (${ROSLIB}/dist/RosLib.js:860)`],
  },
  {
    id: 'node/roslib',
    bucket: 'executor',
    kind: 'take',
    match: { file: 'roslib/' },
    why: 'The client library roslib parses what rosbridge sent, or decompresses it.',
    hits: [`${READ};handleRawMessage (${ROSLIB}/dist/RosLib.js:860)`],
    misses: [`${READ};handleRawMessage (/app/roslib.js:860)`],
  },
];

const SOCKETS: readonly Rule[] = [
  {
    id: 'node/ws-compress',
    bucket: 'publishing',
    kind: 'compress',
    match: { name: ['compress', '_compress'], file: 'ws/lib/permessage-deflate.js' },
    label: { from: 'message' },
    why: 'Frames are compressed before they are sent, and the set-up of each is on this thread.',
    remedy: {
      text: 'Turn perMessageDeflate off (the default) on a fast network: it costs CPU and memory for each client.',
      source: 'websockets/ws, README, WebSocket compression',
      above: 0.03,
    },
    hits: [
      `${SCAN};dispatch (${WS}/sender.js:506);compress (${WS}/permessage-deflate.js:324);_compress (${WS}/permessage-deflate.js:410);Zlib.write (node:zlib:350)`,
    ],
    misses: [`${RECEIVE};decompress (${WS}/permessage-deflate.js:307)`],
  },
  {
    id: 'node/ws-send',
    bucket: 'publishing',
    kind: 'socket',
    match: WS_SENDER,
    label: { from: 'message' },
    why: 'The library ws makes frames and writes them to the socket.',
    remedy: {
      text: 'Make the text or buffer once for all clients, and skip clients whose bufferedAmount grows.',
      source: 'websockets/ws, doc/ws.md, websocket.bufferedAmount',
      above: 0.05,
    },
    hits: [SEND, `${SEND};${SOCKET_WRITE}`],
    misses: [COMMAND, `${TICK};sendFrame (/app/lib/sender.js:3)`],
  },
  {
    id: 'node/ws-send-call',
    bucket: 'publishing',
    kind: 'socket',
    match: { name: ['send', 'ping', 'pong'], file: 'ws/lib/websocket.js' },
    label: { from: 'message' },
    why: 'A message is handed to ws.',
    hits: [`${SCAN};send (${WS}/websocket.js:476);byteLength (node:buffer:770)`],
    misses: [`${RECEIVE};receiverOnMessage (${WS}/websocket.js:1281)`],
  },
  {
    id: 'node/ws-receive',
    bucket: 'executor',
    kind: 'take',
    match: WS_RECEIVER,
    why: 'The library ws takes frames apart, unmasks and checks them.',
    hits: [`${RECEIVE};getData (${WS}/receiver.js:480)`],
    misses: [SEND],
  },
  {
    id: 'node/ws-callback',
    bucket: 'executor',
    kind: 'callback',
    match: { name: 'receiverOn*', file: 'ws/lib/websocket.js' },
    leaf: false,
    why: 'What ws calls for a message and nothing else claims is a callback of the user.',
    hits: [COMMAND],
    misses: [`${RECEIVE};receiverOnMessage (${WS}/websocket.js:1281)`],
  },
  {
    id: 'node/ws-own',
    bucket: 'executor',
    kind: 'take',
    match: { file: 'ws/lib/' },
    notUnder: [WS_SENDER, { name: 'send', file: 'ws/lib/websocket.js' }],
    why: 'Everything else of ws belongs to receiving: connections, buffers, decompression.',
    hits: [
      `${RECEIVE};receiverOnMessage (${WS}/websocket.js:1281)`,
      `${RECEIVE};getData (${WS}/receiver.js:480);_unmask (${WS}/buffer-util.js:60)`,
      `${RECEIVE};decompress (${WS}/permessage-deflate.js:307)`,
    ],
    misses: [SEND],
  },
  {
    id: 'node/publish-function',
    bucket: 'publishing',
    match: { name: 'publish*', ...JS },
    label: { from: 'message' },
    why: 'A function named for it publishes; JSON.stringify is built in and leaves no frame below it.',
    hits: [`${TICK};publishScan (/app/bridge.mjs:12)`],
    misses: [`${TICK};unpublish (/app/bridge.mjs:12)`, 'main (x.py:1);publish (paho/mqtt/client.py:1200)'],
  },
  {
    id: 'node/stream-write',
    bucket: 'io-wait',
    kind: 'stream',
    match: {
      name: ['writeGeneric', 'writevGeneric', 'handleWriteReq'],
      file: 'node:internal/stream_base_commons',
    },
    notUnder: [WS_SENDER, RCL_PUBLISHER],
    why: 'Data is written to a pipe or socket: the system call copies it while the loop stands still.',
    hits: [`${TICK};${SOCKET_WRITE}`],
    misses: [`${SEND};${SOCKET_WRITE}`],
  },
];

/** What else blocks: a frame further out that something claims keeps its bucket, see `Rule.yields`. */
const BLOCKING: readonly Rule[] = [
  {
    id: 'node/atomics-wait',
    bucket: 'lock-wait',
    match: { name: '(Atomics.wait)', kind: ['marker', 'unknown'] },
    yields: true,
    blocks: 'wait',
    why: 'The log of V8 says that the thread waits in Atomics.wait, and nothing further out claims it.',
    hits: ['(anonymous) (/app/worker.mjs:1);take (/app/ring.mjs:20);(Atomics.wait)'],
    misses: ['atomicsLoop (/app/sim.mjs:6);waitUntil (/app/sim.mjs:5);(Atomics.wait)'],
  },
];

const CHILDREN: readonly Rule[] = [
  {
    id: 'node/child-wait',
    bucket: 'io-wait',
    kind: 'child-process',
    match: {
      name: ['spawnSync', 'execFileSync', 'execSync'],
      file: ['node:child_process', 'node:internal/child_process'],
    },
    blocks: 'wait',
    why: 'The thread waits until a child process has ended.',
    remedy: {
      text: 'Use spawn or execFile, which do not stop the loop.',
      source: 'nodejs.org, Child process, synchronous process creation',
      above: 0.01,
    },
    hits: [
      `${TICK};execFileSync (node:child_process:916);spawnSync (node:child_process:832);spawnSync (node:internal/child_process:1108)`,
    ],
    misses: [`${TICK};spawn (node:child_process:754)`],
  },
  {
    id: 'node/child-spawn',
    bucket: 'io-wait',
    kind: 'child-process',
    match: {
      name: ['spawn', 'fork', 'exec', 'execFile', 'ChildProcess.spawn'],
      file: ['node:child_process', 'node:internal/child_process'],
    },
    why: 'A child process is started.',
    hits: [`${TICK};spawn (node:child_process:754);ChildProcess.spawn (node:internal/child_process:354)`],
    misses: [`${TICK};spawnSync (node:child_process:832)`],
  },
  {
    id: 'node/child-send',
    bucket: 'publishing',
    kind: 'serialize',
    match: {
      name: ['writeChannelMessage', 'target.send', 'target._send', 'process.send'],
      file: ['node:internal/child_process/serialization', 'node:internal/child_process'],
    },
    why: 'A message for another process is turned into text and written to its pipe.',
    remedy: {
      text: 'Send less, send binary over a socket, or use worker threads with a SharedArrayBuffer: the pipe carries JSON.',
      source: 'nodejs.org, Child process, Advanced serialization',
      above: 0.05,
    },
    hits: [
      `${TICKS};onState (/app/bridge.mjs:9);target.send (node:internal/child_process:736);target._send (node:internal/child_process:762);writeChannelMessage (node:internal/child_process/serialization:163);writeUtf8String`,
    ],
    misses: [`${CHANNEL};parseChannelMessages (node:internal/child_process/serialization:142)`],
  },
  {
    id: 'node/child-receive',
    bucket: 'executor',
    kind: 'take',
    match: { file: 'node:internal/child_process/serialization' },
    why: 'A message of another process is read from its pipe and parsed.',
    hits: [
      `${CHANNEL};parseChannelMessages (node:internal/child_process/serialization:142);write (node:string_decoder:94)`,
    ],
    misses: [CHANNEL],
  },
  {
    id: 'node/file-sync',
    bucket: 'io-wait',
    kind: 'file',
    match: { name: '*Sync', file: 'node:fs' },
    blocks: 'wait',
    why: 'The thread waits for the file system.',
    hits: [`${TICK};appendFileSync (node:fs:2400);writeSync (node:fs:900)`],
    misses: [`${TICK};appendFileSync (/app/fs.mjs:3)`],
  },
];

/** A function by which the loop enters JavaScript: its own work, and what it calls. */
function entryRules(entry: LoopEntry): readonly Rule[] {
  const { id, match, example } = entry;
  return [
    {
      id: `node/${id}-callback`,
      bucket: 'executor',
      kind: 'callback',
      match,
      leaf: false,
      why: 'What the event loop calls and nothing else claims is a callback of the user.',
      hits: [`${example};step (/app/bridge.mjs:10)`],
      misses: [example, `${example};publishScan (/app/bridge.mjs:12)`],
    },
    {
      id: `node/${id}`,
      bucket: 'executor',
      kind: 'event-loop',
      match,
      why: 'The event loop itself, between two callbacks.',
      hits: [example],
      misses: [`${example};step (/app/bridge.mjs:10)`],
    },
  ];
}

const LOOP: readonly Rule[] = [
  {
    id: 'node/async-context',
    bucket: 'executor',
    kind: 'event-loop',
    match: { file: 'node:internal/async_hooks' },
    leaf: true,
    why: 'Node notes which callback runs, before and after each.',
    hits: [`${TIMERS};emitAfterScript (node:internal/async_hooks:517)`],
    misses: [`${TIMERS};emitAfterScript (/app/async_hooks.mjs:517)`],
  },
  ...LOOP_ENTRIES.flatMap(entryRules),
  {
    id: 'node/timers',
    bucket: 'executor',
    kind: 'timers',
    match: { file: ['node:timers', 'node:timers/promises'] },
    why: 'A timer is set or cleared outside of a loop of timers.',
    hits: [
      '(anonymous) (/app/x.mjs:1);setTimeout (node:timers:135)',
      `${TICK};clearTimeout (node:timers:180)`,
    ],
    misses: [`${TICK};setTimeout (node:timers:135)`],
  },
];

export const NODE_PACK: RulePack = {
  id: 'node',
  dated: '2026-11-30',
  title:
    'Node.js: event loop, garbage collection, pacing, serialisation, ws, rclnodejs, roslib, child processes',
  rules: [...STATES, ...ROS, ...PACING, ...SERIALISING, ...SOCKETS, ...CHILDREN, ...BLOCKING, ...LOOP],
};
