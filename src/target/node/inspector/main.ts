// A program of its own, so that it can run in the target's network: `main.js look|record|close HOST PORT …`.
import { askTarget, closeInspector, inspectorVersion } from './close.js';
import { recordProfile } from './record.js';

const PARENT_LOOK_MS = 500;
const parent = process.ppid;

/** Whoever started us is gone, and with it whoever wants the samples. */
setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, PARENT_LOOK_MS).unref();

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function run([verb, host = '', port = '', ...rest]: readonly string[]): Promise<void> {
  const address = { host, port: Number(port) };
  // Ctrl-C reaches every program of the terminal: one that closes an inspector has to finish.
  if (verb !== 'record') process.on('SIGINT', () => undefined);
  if (verb === 'look') {
    const version = await inspectorVersion(address);
    if (version === undefined) throw new Error('what answers there is no inspector of Node');
    await askTarget(address);
    say(`Node ${version}`);
  } else if (verb === 'close') {
    await closeInspector(address);
  } else if (verb === 'record') {
    const [intervalUs = '', seconds = '', output = ''] = rest;
    const asked = new Promise<void>((resolve) => {
      process.on('SIGINT', resolve);
    });
    await recordProfile(
      { address, intervalUs: Number(intervalUs), seconds: Number(seconds), output },
      asked,
      say,
    );
  } else throw new Error('usage: look|close HOST PORT, record HOST PORT INTERVAL_US SECONDS OUTPUT');
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`inspector: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
