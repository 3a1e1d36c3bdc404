// A client of the bridge that counts what it gets: node client.mjs [ws://127.0.0.1:9090]
//
// Waits until the bridge listens. Every tenth scan it prints one line of JSON: nanoseconds of CLOCK_MONOTONIC, how many of each topic it
// has had so far, and how many it missed by their `seq`. Ends when the bridge does.
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

const url = process.argv[2] ?? 'ws://127.0.0.1:9090';
let odom = 0;
let scan = 0;
let missed = 0;
const last = new Map();

// The first process of a container is not ended by a signal that it does not handle.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));
// The container of the bridge has started before ours, but perhaps does not listen yet.
while (!(await connect())) await delay(50);

/** Whether a connection was made; it lasts until the bridge ends. */
function connect() {
  const socket = new WebSocket(url);
  socket.on('message', count);
  return new Promise((resolve) => {
    socket.once('open', () => resolve(true));
    socket.on('error', () => resolve(false));
  });
}

function count(data) {
  const { topic, msg } = JSON.parse(data.toString());
  const { seq } = msg.header;
  missed += seq - (last.get(topic) ?? seq - 1) - 1;
  last.set(topic, seq);
  if (topic === '/odom') odom += 1;
  else scan += 1;
  if (topic === '/scan' && scan % 10 === 0)
    process.stdout.write(
      `${JSON.stringify({ atNs: String(process.hrtime.bigint()), odom, scan, missed })}\n`,
    );
}
