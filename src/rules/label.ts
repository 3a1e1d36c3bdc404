import type { Frame } from '../model/index.js';
import { compilePattern, frameFacts } from './frame-pattern.js';
import { comparableName } from './frame-name.js';
import { compilePath } from './glob.js';
import type { RuleLabel } from './rule.js';
import type { StackWalk } from './stack-walk.js';

const isMessageFile = compilePath('*_{msgs,interfaces}/msg/_*.py');

/** `publish_laser_scan`, `_fill_imu_msg`, `convert_odometry`: the verb before and the words after are not the type. */
const MESSAGE_FUNCTION =
  /^_*(?:publish|convert|fill|make|build|send|create|encode|to)_+([a-z][a-z0-9_]*?)(?:_(?:msg|message|topic))?$/;

/** The same in JavaScript: `publishLaserScan`, `sendScanMessage`. */
const JS_MESSAGE_FUNCTION =
  /^[_#]*(?:publish|convert|fill|make|build|send|create|encode)([A-Z][A-Za-z0-9]*?)(?:Msg|Message|Topic)?$/;

/** Generated classes of rclnodejs: `sensor_msgs__msg__LaserScan.js`. */
const JS_MESSAGE_STEM = /__msg__([A-Za-z0-9]+)$/;

/** Types that are never published by themselves here: they sit inside others. */
const PART_TYPES = new Set([
  'Header',
  'Time',
  'Duration',
  'Point',
  'Point32',
  'Vector3',
  'Quaternion',
  'Vector',
  'Stamp',
  'Transform',
]);

/** Types that are published, but more often sit inside others: what asked for them tells more. */
const INNER_TYPES = new Set(['Pose', 'Twist', 'Accel', 'Wrench', 'TransformStamped', 'PoseStamped']);

/** Modules of ROS whose functions make or send one type. */
const TYPE_OF_MODULE: readonly (readonly [string, string])[] = [
  ['tf2_ros/{transform,static_transform}_broadcaster.py', 'TFMessage'],
  ['sensor_msgs_py/point_cloud2.py', 'PointCloud2'],
  ['cv_bridge/', 'Image'],
];
const moduleTypes = TYPE_OF_MODULE.map(([path, type]) => ({ matches: compilePath(path), type }));

/** Function names that only say that something is published. */
const NO_TYPE = new Set([
  'msg',
  'message',
  'messages',
  'all',
  'data',
  'snapshot',
  'state',
  'topics',
  'endpoints',
]);

/** Longest function name that is looked at for a message type. */
const LONGEST_FUNCTION = 200;

/** Longest path that is looked at for one: what the system allows. */
const LONGEST_PATH = 4096;

/** Name of a row, from the claimed frame outwards; undefined where the stack does not tell. */
export function labelFor(label: RuleLabel, walk: StackWalk, row: number): string | undefined {
  if (label.from === 'text') return label.text;
  if (label.from === 'message') {
    return (
      firstOutwards(walk, row, (frame) => typeBut(frame, INNER_TYPES)) ??
      firstOutwards(walk, row, (frame) => typeBut(frame, PART_TYPES))
    );
  }
  const pattern = compilePattern(label.match);
  return firstOutwards(walk, row, (frame) =>
    pattern(frameFacts(frame)) === undefined ? fileStem(frame.file) : undefined,
  );
}

function firstOutwards(
  walk: StackWalk,
  row: number,
  pick: (frame: Frame) => string | undefined,
): string | undefined {
  for (let at = row; at >= 0; at = walk.stacks.parent[at] ?? -1) {
    const frame = walk.frames[walk.stacks.frame[at] ?? -1];
    const found = frame === undefined ? undefined : pick(frame);
    if (found !== undefined) return found;
  }
  return undefined;
}

function typeBut(frame: Frame, unwanted: ReadonlySet<string>): string | undefined {
  const type = messageType(frame);
  return type === undefined || PART_TYPES.has(type) || unwanted.has(type) ? undefined : type;
}

function messageType(frame: Frame): string | undefined {
  const path = frame.file?.split('/');
  if (path !== undefined) {
    if (isMessageFile(path)) return camelCase(fileStem(frame.file) ?? '');
    const known = moduleTypes.find(({ matches }) => matches(path));
    if (known !== undefined) return known.type;
  }
  const name = comparableName(frame);
  if (name.length > LONGEST_FUNCTION) return undefined;
  if (frame.kind === 'js') return jsMessageType(frame, name);
  const words = MESSAGE_FUNCTION.exec(name.slice(name.lastIndexOf('.') + 1))?.[1];
  return words === undefined || NO_TYPE.has(words) ? undefined : camelCase(words);
}

function jsMessageType({ file }: Frame, name: string): string | undefined {
  const stem = file === undefined || file.length > LONGEST_PATH ? undefined : fileStem(file);
  const generated = stem === undefined ? undefined : JS_MESSAGE_STEM.exec(stem)?.[1];
  if (generated !== undefined) return generated;
  // Libraries name their own things: `sendFrame` of ws sends no Frame.
  if (file?.startsWith('node:') === true || file?.includes('/node_modules/') === true) return undefined;
  const words = JS_MESSAGE_FUNCTION.exec(name.slice(name.lastIndexOf('.') + 1))?.[1];
  return words === undefined || NO_TYPE.has(words.toLowerCase()) ? undefined : words;
}

function fileStem(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const stem = file.slice(file.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
  return stem === '' ? undefined : stem;
}

function camelCase(words: string): string {
  return words
    .split('_')
    .filter((word) => word !== '')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}
