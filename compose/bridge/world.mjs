/** A room of 8 m by 6 m around the origin, with a pillar in its middle. */
const HALF_LENGTH = 4;
const HALF_WIDTH = 3;
const PILLAR = 0.4;

export const RAYS = 360;
const STEP = (2 * Math.PI) / RAYS;

/** Where the robot is after so many seconds, when no simulation says it: a round about the pillar in 20 s. */
export function poseAt(seconds) {
  const angle = (2 * Math.PI * seconds) / 20;
  return { x: 2 * Math.cos(angle), y: 2 * Math.sin(angle), heading: angle + Math.PI / 2 };
}

/** Distances from a pose to what stands around it, one for each degree, beginning ahead. */
export function castScan(pose) {
  const ranges = Array.from({ length: RAYS });
  for (let ray = 0; ray < RAYS; ray += 1) ranges[ray] = castRay(pose, pose.heading + ray * STEP);
  return ranges;
}

function castRay({ x, y }, angle) {
  const dx = Math.cos(angle);
  const dy = Math.sin(angle);
  const toWall = Math.min(along(x, dx, HALF_LENGTH), along(y, dy, HALF_WIDTH));
  return Math.min(toWall, toPillar(x, y, dx, dy));
}

/** To the wall that a ray runs towards along one axis. */
function along(from, direction, half) {
  return direction === 0 ? Infinity : Math.max(0, (Math.sign(direction) * half - from) / direction);
}

/** Where a ray of length one first meets a circle around the origin. */
function toPillar(x, y, dx, dy) {
  const middle = -(x * dx + y * dy);
  const beside = x * x + y * y - middle * middle;
  if (middle < 0 || beside > PILLAR * PILLAR) return Infinity;
  return Math.max(0, middle - Math.sqrt(PILLAR * PILLAR - beside));
}
