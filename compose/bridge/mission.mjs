// A mission of steps that measures itself: node mission.mjs [--feed 9091] [--log FILE]
//
// Drives a robot around a square, telling the bridge its pose 50 times a second, and looks around meanwhile. With SIM_PROFILER_PROFILE=1 it
// prints where the time went, and writes a trace; without, it measures nothing. Elsewhere the import is 'sim-profiler/telemetry'.
import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { flushTraces, StepProfiler } from '../../dist/telemetry/steps/index.js';
const { values } = parseArgs({
  options: { feed: { type: 'string', default: '9091' }, log: { type: 'string', default: '/dev/null' } },
});

class Robot {
  pose = { x: -1, y: -1, heading: 0 };
  socket = connect(Number(values.feed), '127.0.0.1');
  advance(length, angle) {
    const { pose } = this;
    pose.x += length * Math.cos(pose.heading);
    pose.y += length * Math.sin(pose.heading);
    pose.heading += angle;
  }
  tell() {
    this.socket.write(`${JSON.stringify(this.pose)}\n`);
  }
}

const prof = StepProfiler.fromEnv(process.env, { mission: 'Square' }) ?? StepProfiler.disabled();
const robot = new Robot();
prof.instrument(robot, ['tell'], 'hal');

/** A step as raccoon has them: it waits for the hardware, does its work, and writes down that it did. */
function step(signature, work) {
  return prof.step(signature, async () => {
    await prof.phase('acquire', () => (robot.socket.connecting ? once(robot.socket, 'connect') : undefined));
    await prof.phase('execute', work);
    await prof.phase('dbWrite', () => appendFile(values.log, `${signature}\n`));
  });
}

async function move(length, angle) {
  for (let cycle = 0; cycle < 10; cycle += 1) {
    prof.phase('motion', () => robot.advance(length / 10, angle / 10));
    robot.tell();
    await delay(20);
  }
}

async function square() {
  for (let side = 0; side < 4; side += 1) {
    await Promise.all([step('drive(2.0)', () => move(2, 0)), step('look()', () => delay(100))]);
    await step('turn(90)', () => move(0, Math.PI / 2));
  }
}

await prof.step('square(2.0)', square, { composite: true });
robot.socket.end();
await prof.close();
for (const path of await flushTraces()) process.stdout.write(`trace: ${path}\n`);
