import { WebSocket } from 'ws';
import { buildHeader, buildOdometry, buildScan } from './messages.mjs';

/** A client that reads more slowly than we send is passed over from here on, or its messages would fill our memory. */
const BEHIND_BYTES = 1 << 20;

/** One step: both messages to every client. The text is made once for all of them, and not at all for none. */
export function publish(clients, pose, now, counts) {
  if (clients.size === 0) return;
  const header = buildHeader(counts.steps, now);
  publishOdometry(clients, header, pose, counts);
  publishScan(clients, header, pose, counts);
}

function publishOdometry(clients, header, pose, counts) {
  broadcast(clients, stringify(buildOdometry(header, pose)), counts);
}

function publishScan(clients, header, pose, counts) {
  broadcast(clients, stringify(buildScan(header, pose)), counts);
}

/** A function of its own, so that a profile shows it: V8 leaves no frame for what is built in. */
function stringify(message) {
  return JSON.stringify(message);
}

function broadcast(clients, text, counts) {
  for (const client of clients) {
    if (client.readyState !== WebSocket.OPEN || client.bufferedAmount > BEHIND_BYTES) {
      counts.skipped += 1;
      continue;
    }
    counts.sent += 1;
    client.send(text, (error) => {
      if (error) counts.failed += 1;
    });
  }
}
