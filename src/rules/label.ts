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

/** Types that sit inside others: what asked for the message tells more. */
const PART_TYPES = new Set([
  'Header',
  'Time',
  'Duration',
  'Point',
  'Point32',
  'Vector3',
  'Quaternion',
  'Pose',
  'Twist',
  'Transform',
]);

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

/** Name of a row, from the claimed frame outwards; undefined where the stack does not tell. */
export function labelFor(label: RuleLabel, walk: StackWalk, row: number): string | undefined {
  if (label.from === 'text') return label.text;
  if (label.from === 'message') {
    const whole = (type: string | undefined): string | undefined =>
      type === undefined || PART_TYPES.has(type) ? undefined : type;
    return (
      firstOutwards(walk, row, (frame) => whole(messageType(frame))) ?? firstOutwards(walk, row, messageType)
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

function messageType(frame: Frame): string | undefined {
  const path = frame.file?.split('/');
  if (path !== undefined) {
    if (isMessageFile(path)) return camelCase(fileStem(frame.file) ?? '');
    const known = moduleTypes.find(({ matches }) => matches(path));
    if (known !== undefined) return known.type;
  }
  const name = comparableName(frame);
  if (name.length > LONGEST_FUNCTION) return undefined;
  const words = MESSAGE_FUNCTION.exec(name.slice(name.lastIndexOf('.') + 1))?.[1];
  return words === undefined || NO_TYPE.has(words) ? undefined : camelCase(words);
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
