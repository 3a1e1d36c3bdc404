// A program that ends inside a span, with a report on exit.  node telemetry_exit.mjs FILE HOW
import { createTelemetry } from '../../dist/telemetry/index.js';

const [file, how] = process.argv.slice(2);
const t = createTelemetry({ saveOnExit: file });
t.record('Chunk_BuildMesh', 100.12345);
t.record('Chunk_BuildMesh', 300.34567);
if (how === 'exit') t.measure('Pyrite_Run', () => process.exit(5));
if (how === 'exception') {
  t.measure('Pyrite_Run', () => {
    throw new Error('mine');
  });
}
if (how === 'frames') {
  t.startFrame();
  await t.measure('Pyrite_Update', async () => await new Promise((resolve) => setImmediate(resolve)));
  t.endFrame();
}
