import { EXECUTOR, PYTHON } from '../known-frames.js';
import type { FramePattern, Rule, RulePack } from '../rule.js';

const NATIVE = ['native', 'unknown'] as const;
const MIDDLEWARE = [
  'libddsc.so*',
  'libfastrtps.so*',
  'libfastdds.so*',
  'libfastcdr.so*',
  'libzenoh*',
  'librmw_*',
  'librcl.so*',
  'librcutils.so*',
];
const PUBLISHER: FramePattern = { file: 'rclpy/publisher.py' };
const NATIVE_PUBLISH: FramePattern = {
  name: [
    'rcl_publish',
    'rmw_publish',
    '*::__rmw_publish',
    'dds_write',
    'dds_write_ts',
    '*::DataWriter::write*',
  ],
  kind: NATIVE,
};
const PUBLISHES = [PUBLISHER, NATIVE_PUBLISH];
const TAKES: FramePattern = {
  name: ['take_message', '_take*', 'deserialize_message', 'take_*'],
  file: 'rclpy/',
};
const WAITING = ['wait_for_ready_callbacks', '_wait_for_ready_callbacks'];

const SPIN =
  'main (node.py:44);spin (rclpy/executors.py:295);spin_once (rclpy/executors.py:813);_spin_once_impl (rclpy/executors.py:794)';
const WAIT = `${SPIN};wait_for_ready_callbacks (rclpy/executors.py:723)`;
const CALLER = 'run (bridge.py:78);publish_img (bridge.py:121)';
const PUBLISH = `${CALLER};publish (rclpy/publisher.py:70)`;
const RMW = `${PUBLISH};rcl_publish (librcl.so);rmw_publish (librmw_cyclonedds_cpp.so);dds_write (libddsc.so)`;

const PUBLISH_RULES: readonly Rule[] = [
  {
    id: 'ros2/blocked-in-dds',
    bucket: 'publishing',
    kind: 'blocked-in-dds',
    match: { name: ['ddsrt_cond_wait*', 'throttle_writer', '*FlowController*::wait*'], kind: NATIVE },
    under: PUBLISHES,
    blocks: 'wait',
    label: { from: 'message' },
    why: 'The writer of the middleware waits for room or acknowledgement: the caller stands still inside publish.',
    remedy: {
      text: 'Publish best effort or with a deeper history, or turn on asynchronous publishing in the middleware, so that a slow reader cannot hold the loop up.',
      source: 'ros2/rmw issue 209; ros2/rmw_fastrtps issue 754; ros2/rmw_cyclonedds issue 559',
      above: 0.02,
    },
    hits: [
      `${RMW};throttle_writer (libddsc.so);ddsrt_cond_waituntil (libddsc.so);pthread_cond_clockwait (libc.so.6)`,
    ],
    misses: ['dq.user;recv_thread (libddsc.so);ddsrt_cond_wait (libddsc.so)'],
  },
  {
    id: 'ros2/middleware-write',
    bucket: 'publishing',
    kind: 'middleware',
    match: { module: MIDDLEWARE },
    under: PUBLISHES,
    whenBlocked: { kind: 'blocked-in-dds' },
    label: { from: 'message' },
    why: 'The middleware copies, serialises and sends inside publish.',
    hits: [RMW, `${PUBLISH};rcl_publish (librcl.so)`],
    misses: ['dds.ev;eprosima::fastrtps::rtps::ResourceEvent::event_service (libfastrtps.so.2.6)'],
  },
  {
    id: 'ros2/native-publish',
    bucket: 'publishing',
    kind: 'middleware',
    match: NATIVE_PUBLISH,
    whenBlocked: { kind: 'blocked-in-dds' },
    label: { from: 'message' },
    why: 'A C++ node enters the middleware here.',
    hits: ['main (bridge);rcl_publish (librcl.so)'],
    misses: ['main (agent.py:1);publish (paho/mqtt/client.py:1200)'],
  },
  {
    id: 'ros2/middleware-writer',
    bucket: 'publishing',
    kind: 'middleware',
    match: { name: ['*Writer::new_change', '*DataWriter*::write*', 'dds_write*'], module: MIDDLEWARE },
    whenBlocked: { kind: 'blocked-in-dds' },
    label: { from: 'message' },
    why: 'A writer of the middleware takes a sample: somebody publishes, whichever way the call came.',
    hits: [
      'main (bridge.py:90);pub (bridge.py:55);eprosima::fastrtps::rtps::RTPSWriter::new_change(std::function<unsigned int ()> const&) (libfastrtps.so.2.6)',
    ],
    misses: ['recv;ddsi_recv_thread (libddsc.so)'],
  },
  {
    id: 'ros2/deserialize',
    bucket: 'executor',
    kind: 'take',
    match: {
      name: ['take_message', 'deserialize_message', '_read*'],
      file: ['rclpy/subscription.py', 'rclpy/serialization.py'],
    },
    why: 'A received message is turned into Python objects before its callback runs.',
    hits: [
      `${WAIT};take_message (rclpy/subscription.py:40);deserialize_message (rclpy/serialization.py:30);_read (rclpy/serialization.py:80)`,
    ],
    misses: [`${PUBLISH};serialize_message (rclpy/serialization.py:20)`],
  },
  {
    id: 'ros2/serialize',
    bucket: 'publishing',
    kind: 'serialize',
    match: { file: 'rclpy/serialization.py' },
    notUnder: TAKES,
    label: { from: 'message' },
    why: 'The message is turned into bytes on the thread that publishes.',
    hits: [`${PUBLISH};serialize_message (rclpy/serialization.py:20)`],
    misses: ['main (x.py:1);dumps (pickle/serialization.py:3)'],
  },
  {
    id: 'ros2/publish',
    bucket: 'publishing',
    match: PUBLISHER,
    whenBlocked: { kind: 'blocked-in-dds' },
    label: { from: 'message' },
    why: 'The call converts and publishes the message, holding the GIL from end to end.',
    remedy: {
      text: 'Publish large or frequent messages less often, skip topics without subscribers, or move them into a C++ node or another process: rclpy holds the GIL while it publishes.',
      source: 'ros2/rclpy issue 763; ros2/rclpy issue 856',
      above: 0.05,
    },
    hits: [
      PUBLISH,
      'run (bridge.py:78);publish_scan (bridge.py:120);Publisher.publish (rclpy/publisher.py:70)',
    ],
    misses: ['main (agent.py:1);publish (paho/mqtt/client.py:1200)'],
  },
  {
    id: 'ros2/message-take',
    bucket: 'executor',
    kind: 'take',
    match: { file: '*_{msgs,interfaces}/msg/_*.py' },
    under: TAKES,
    notUnder: PUBLISHER,
    why: 'The message object of a received message is filled.',
    hits: [`${WAIT};take_message (rclpy/subscription.py:40);__init__ (sensor_msgs/msg/_joy.py:90)`],
    misses: [`${CALLER};ranges (sensor_msgs/msg/_laser_scan.py:270)`],
  },
  {
    id: 'ros2/message-build',
    bucket: 'publishing',
    kind: 'message-build',
    match: { file: ['*_{msgs,interfaces}/msg/_*.py', 'sensor_msgs_py/point_cloud2.py', 'cv_bridge/core.py'] },
    label: { from: 'message' },
    why: 'Setters and constructors of generated messages check and copy field by field in Python.',
    remedy: {
      text: 'Give array fields an array.array or numpy array of the field type (bytes for uint8[]), reuse message objects, and leave check_fields off: setters look at every element otherwise.',
      source: 'ros2/rosidl_python issue 156 and pull request 194',
      above: 0.03,
    },
    hits: [
      `${CALLER};ranges (sensor_msgs/msg/_laser_scan.py:270);<genexpr> (sensor_msgs/msg/_laser_scan.py:280)`,
      `${CALLER};LaserScan.ranges (sensor_msgs/msg/_laser_scan.py:270)`,
      `${CALLER};Time.sec (builtin_interfaces/msg/_time.py:100)`,
    ],
    misses: ['main (x.py:1);encode (my_msgs/codec.py:3)'],
  },
  {
    id: 'ros2/transform',
    bucket: 'publishing',
    kind: 'transform',
    match: { file: 'tf2_ros/{transform,static_transform}_broadcaster.py' },
    label: { from: 'message' },
    why: 'A transform is wrapped into a message and published on /tf.',
    hits: ['run (bridge.py:78);sendTransform (tf2_ros/transform_broadcaster.py:50)'],
    misses: [`${SPIN};callback (tf2_ros/transform_listener.py:80)`],
  },
];

const EXECUTOR_RULES: readonly Rule[] = [
  {
    id: 'ros2/middleware-wait',
    bucket: 'idle',
    match: {
      name: ['rcl_wait', 'rmw_wait', '*::__rmw_wait', 'dds_waitset_wait*', '*::WaitSet::wait*'],
      kind: NATIVE,
    },
    blocks: 'wait',
    why: 'The executor waits in the middleware until something is ready.',
    hits: [`${WAIT};rcl_wait (librcl.so);rmw_wait (librmw_cyclonedds_cpp.so);pthread_cond_wait (libc.so.6)`],
    misses: [RMW],
  },
  {
    id: 'ros2/middleware-thread',
    bucket: 'executor',
    kind: 'middleware',
    match: { module: MIDDLEWARE },
    notUnder: PUBLISHES,
    whenBlocked: { bucket: 'idle', kind: 'middleware' },
    why: 'Threads of the middleware receive, time out and discover; asleep they are idle.',
    hits: [
      'dds.ev;clone3 (libc.so.6);eprosima::fastrtps::rtps::ResourceEvent::event_service (libfastrtps.so.2.6);clock_nanosleep (libc.so.6)',
      'recv;ddsi_recv_thread (libddsc.so)',
    ],
    misses: [RMW],
  },
  {
    id: 'ros2/clock-subscription',
    bucket: 'executor',
    kind: 'clock',
    match: { file: 'rclpy/time_source.py' },
    why: 'Handling of /clock for use_sim_time.',
    remedy: {
      text: 'Publish /clock less often than once a step, or leave use_sim_time off where the node does not need it.',
      source: 'ros2/rclpy issue 1378: 20 to 35 % of a core at 1 kHz',
      above: 0.05,
    },
    hits: [`${SPIN};_on_clock (rclpy/time_source.py:105)`],
    misses: [`${SPIN};on_cmd (node.py:20)`],
  },
  {
    id: 'ros2/wait-line',
    bucket: 'idle',
    match: { name: WAITING, ...EXECUTOR, source: 'wait_set.wait(' },
    leaf: true,
    blocks: 'wait',
    why: 'The line blocks in the wait set until something is ready.',
    hits: [`${WAIT};_wait_for_ready_callbacks (rclpy/executors.py:600) #wait_set.wait(timeout_nsec)`],
    misses: [`${WAIT};_wait_for_ready_callbacks (rclpy/executors.py:582) #wait_set = _rclpy.WaitSet(`],
  },
  {
    id: 'ros2/wait-unknown',
    bucket: 'idle',
    match: { name: WAITING, ...EXECUTOR, sourceKnown: false },
    leaf: true,
    blocks: 'wait',
    why: 'As the leaf this function nearly always blocks in its wait set, but the text of the line is unknown.',
    hits: [WAIT],
    misses: [`${WAIT};_wait_for_ready_callbacks (rclpy/executors.py:582) #wait_set = _rclpy.WaitSet(`],
  },
  {
    id: 'ros2/wait-set',
    bucket: 'executor',
    kind: 'wait-set',
    match: { name: WAITING, ...EXECUTOR },
    why: 'The wait set is rebuilt around every callback, which grows with the number of entities.',
    remedy: {
      text: 'Use one single-threaded or events executor for few entities: wait sets are rebuilt in Python around every callback.',
      source: 'ros2/rclpy issues 1223 and 1452, pull request 1547',
      above: 0.1,
    },
    hits: [
      `${WAIT};_wait_for_ready_callbacks (rclpy/executors.py:582) #wait_set = _rclpy.WaitSet(`,
      `${WAIT};_wait_for_ready_callbacks (rclpy/executors.py:582);enter_context (contextlib.py:505)`,
    ],
    misses: [WAIT],
  },
  {
    id: 'ros2/callback',
    bucket: 'executor',
    kind: 'callback',
    match: {
      name: ['_spin_once_impl', 'handler', '_execute*', 'await_or_execute', '__call__', 'call', '<lambda>'],
      file: 'rclpy/{executors,task,timer}.py',
    },
    leaf: false,
    notUnder: PUBLISHER,
    why: 'What an executor calls and nothing else claims is a callback of the user.',
    hits: [`${SPIN};on_cmd (node.py:20)`, `${SPIN};Task.__call__ (rclpy/task.py:240);on_cmd (node.py:20)`],
    misses: [SPIN],
  },
  {
    id: 'ros2/rate-sleep',
    bucket: 'pacer',
    kind: 'sleep',
    match: { name: ['sleep', 'sleep_until', 'sleep_for'], file: 'rclpy/{timer,clock}.py' },
    blocks: 'sleep',
    why: 'A rate of rclpy holds the loop to its period.',
    hits: [
      'run (bridge.py:78);Rate.sleep (rclpy/timer.py:150)',
      'run (bridge.py:78);sleep (rclpy/timer.py:150);wait (threading.py:331)',
    ],
    misses: ['main (x.py:1);sleep (asyncio/tasks.py:605)'],
  },
  {
    id: 'ros2/executor',
    bucket: 'executor',
    match: { file: 'rclpy/' },
    under: [EXECUTOR, { name: 'spin', file: 'rclpy/__init__.py' }],
    notUnder: PUBLISHER,
    why: 'Everything else that rclpy does around callbacks: tasks, guard conditions, contexts.',
    hits: [`${WAIT};_wait_for_ready_callbacks (rclpy/executors.py:582);handle (rclpy/guard_condition.py:38)`],
    misses: [PUBLISH, `${CALLER};now (rclpy/clock.py:40)`],
  },
  {
    id: 'ros2/executor-loop',
    bucket: 'executor',
    match: EXECUTOR,
    why: 'The loop of the executor itself.',
    hits: ['_bootstrap (threading.py:1002);spin (rclpy/executors.py:295)'],
    misses: ['main (x.py:1);submit (concurrent/futures/thread.py:3)'],
  },
  {
    id: 'ros2/native-binding',
    bucket: 'executor',
    kind: 'middleware',
    match: { module: '_rclpy_pybind11*' },
    under: PYTHON,
    notUnder: [PUBLISHER, { name: WAITING, file: 'rclpy/executors.py' }],
    why: 'The binding of rclpy outside publish and wait: takes, services, graph queries.',
    hits: [`${SPIN};take_message (rclpy/node.py:3);0x7f11 (_rclpy_pybind11.cpython-310-x86_64-linux-gnu.so)`],
    misses: [`${PUBLISH};0x7f11 (_rclpy_pybind11.cpython-310-x86_64-linux-gnu.so)`],
  },
];

export const ROS2: RulePack = {
  id: 'ros2',
  dated: '2026-11-29',
  title: 'ROS 2 from Python: publishing, message building, executors, middleware threads',
  rules: [...PUBLISH_RULES, ...EXECUTOR_RULES],
};
