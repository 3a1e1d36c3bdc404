import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** The port for poses. The newest one counts, until all who sent some are gone. */
export function startFeed({ host, port }, counts) {
  const senders = new Set();
  let newest;
  const server = createServer((socket) => {
    senders.add(socket);
    // An error is followed by `close`, as an end is.
    socket.on('error', () => {
      counts.broken += 1;
    });
    socket.on('close', () => {
      senders.delete(socket);
      if (senders.size === 0) newest = undefined;
    });
    createInterface({ input: socket }).on('line', (line) => {
      const pose = parsePose(line);
      if (pose === undefined) counts.bad += 1;
      else {
        counts.poses += 1;
        newest = pose;
      }
    });
  });
  const listening = new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    listening,
    port: () => server.address().port,
    pose: () => newest,
    close: () => {
      server.close();
      for (const socket of senders) socket.destroy();
    },
  };
}

function parsePose(line) {
  try {
    const { x, y, heading } = JSON.parse(line);
    return [x, y, heading].every(Number.isFinite) ? { x, y, heading } : undefined;
  } catch {
    return undefined;
  }
}
