// A bridge that measures itself: node measured.mjs [--port 9090] [--hz 50] [--report FILE]
//
// Sends a pose and a laser scan to every client, on a patrol of steps. `profiler attach --backend node` finds its spans, frames and steps,
// and shows them beside the samples; nothing is to be set for that. Elsewhere the import is 'sim-profiler/telemetry'.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocketServer } from 'ws';
import { createTelemetry, StepProfiler } from '../../dist/telemetry/index.js';
import { buildHeader, buildOdometry, buildScan } from './messages.mjs';
import { poseAt } from './world.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9090' },
    hz: { type: 'string', default: '50' },
    report: { type: 'string' },
  },
});
const telemetry = createTelemetry(values.report === undefined ? {} : { saveOnExit: values.report });
const prof = new StepProfiler({ printReport: false });
const over = new AbortController();
const server = new WebSocketServer({ host: '127.0.0.1', port: Number(values.port) });
await once(server, 'listening');

const encode = (message) => telemetry.measure('Encode', () => JSON.stringify(message));
const scanFrom = (header, pose) => telemetry.measure('Raycast', () => buildScan(header, pose));

function publish(seq) {
  const header = buildHeader(seq, performance.now());
  const pose = poseAt(performance.now() / 1000);
  const texts = [encode(buildOdometry(header, pose)), encode(scanFrom(header, pose))];
  const sending = telemetry.span('Send');
  for (const client of server.clients) for (const text of texts) client.send(text, () => {});
  sending.end();
}

/** Frames, one every 20 ms, for so many of them: a late one does not make those after it late. */
async function drive(frames) {
  const start = performance.now();
  for (let frame = 1; frame <= frames && !over.signal.aborted; frame += 1) {
    telemetry.startFrame();
    publish(frame);
    telemetry.endFrame();
    await delay(Math.max(0, start + (frame * 1000) / Number(values.hz) - performance.now()));
  }
}

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => over.abort());
process.stdout.write(`clients: ${server.address().port}\nready\n`);
while (!over.signal.aborted)
  await prof.step(
    'patrol(1)',
    () => prof.step('drive(20)', () => drive(20)).then(() => prof.step('look(5)', () => drive(5))),
    { composite: true },
  );
await prof.close();
for (const client of server.clients) client.terminate();
server.close();
