// Runs the compiled package's sampler by one route until somebody ends this process; says when it samples.
import {
  findContainer,
  findTarget,
  openEngine,
  openJournal,
  ROUTE_KINDS,
} from '../../../dist/target/index.js';

const [, , id, name, pid, path, version] = process.argv;
const engine = await openEngine(process.env);
const context = {
  target: findTarget({ pid: Number(pid), selfPid: process.pid }),
  pyspy: { path, version },
  native: false,
  engine,
  container: await findContainer(engine, name),
  journal: openJournal(process.env, new Date().toISOString()),
  priority: [],
};
const { route } = await ROUTE_KINDS.find((kind) => kind.id === id).probe(context);
const output = route.output === 'file' ? '/dev/null' : '/dev/stderr';
const record = [
  'record',
  '--pid',
  String(route.targetPid),
  '--idle',
  '--nonblocking',
  '-d',
  '600',
  '-f',
  'raw',
];
const sampler = route.start([...record, '-o', output]);
sampler.stderr.resume();
sampler.stdout.setEncoding('utf8').on('data', async (text) => {
  if (!text.includes('Sampling process')) return;
  await sampler.pid;
  process.stdout.write('sampling\n');
});
await sampler.exit;
