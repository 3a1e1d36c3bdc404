// A bridge between a simulation and WebSocket clients, in the manner of rosbridge.
//
//   node main.mjs [--port 9090] [--feed 9091] [--hz 100]
//
// Every 10 ms each client gets /odom, the pose of the robot, and /scan, a laser scan of 360 rays from there. Poses come as lines of JSON,
// {"x": 1, "y": 2, "heading": 0.5}, from whoever connects to the feed's port; while nobody has, the bridge drives a round by itself. Both
// ports are of the loopback alone; 0 is any that is free. Says which, then "ready", when it listens; SIGTERM or SIGINT ends it, with its
// counts as the last line.
import { parseArgs } from 'node:util';
import { WebSocketServer } from 'ws';
import { newCounts } from './counts.mjs';
import { startFeed } from './feed.mjs';
import { startLoop } from './loop.mjs';
import { publish } from './publish.mjs';
import { poseAt } from './world.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9090' },
    feed: { type: 'string', default: '9091' },
    hz: { type: 'string', default: '100' },
  },
});
const host = '127.0.0.1';
const counts = newCounts();
const feed = startFeed({ host, port: Number(values.feed) }, counts);
const server = new WebSocketServer({ host, port: Number(values.port) });
await Promise.all([feed.listening, listening(server)]);

server.on('connection', (client) => {
  counts.clients += 1;
  // A client that breaks off is gone, and its next messages are counted as skipped until ws has noticed.
  client.on('error', () => {
    counts.broken += 1;
  });
});

const started = performance.now();
const loop = startLoop(Number(values.hz), counts, () => {
  const now = performance.now();
  publish(server.clients, feed.pose() ?? poseAt((now - started) / 1000), now, counts);
});

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop);
process.stdout.write(`clients: ${server.address().port}, poses: ${feed.port()}\nready\n`);

function stop() {
  loop.stop();
  feed.close();
  for (const client of server.clients) client.terminate();
  server.close(() => process.stdout.write(`${JSON.stringify(counts)}\n`));
}

/** Fails where the port is taken: `events.once` would do, but leaves its listener for errors behind. */
function listening(one) {
  return new Promise((resolve, reject) => {
    one.once('listening', resolve);
    one.once('error', reject);
  });
}
