import { castScan, RAYS } from './world.mjs';

/** Messages as rosbridge spells them: an operation, a topic, and a message of ROS. */
export function buildOdometry(header, { x, y, heading }) {
  return {
    op: 'publish',
    topic: '/odom',
    msg: {
      header: { ...header, frame_id: 'odom' },
      child_frame_id: 'base_link',
      pose: {
        pose: {
          position: { x, y, z: 0 },
          orientation: { x: 0, y: 0, z: Math.sin(heading / 2), w: Math.cos(heading / 2) },
        },
      },
    },
  };
}

export function buildScan(header, pose) {
  return {
    op: 'publish',
    topic: '/scan',
    msg: {
      header: { ...header, frame_id: 'laser' },
      angle_min: 0,
      angle_max: (2 * Math.PI * (RAYS - 1)) / RAYS,
      angle_increment: (2 * Math.PI) / RAYS,
      range_min: 0,
      range_max: 10,
      ranges: castScan(pose),
    },
  };
}

/** `seq` grows by one with every step, so that a client can tell what it missed. */
export function buildHeader(seq, now) {
  const ms = performance.timeOrigin + now;
  return { seq, stamp: { sec: Math.floor(ms / 1000), nanosec: Math.floor((ms % 1000) * 1e6) } };
}
