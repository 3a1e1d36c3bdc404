// What a span allocates: V8's own sampling of allocations, with what was collected meanwhile.  node telemetry-allocation.mjs
import { Session } from 'node:inspector/promises';
import { KINDS } from './telemetry-kinds.mjs';

const CALLS = 1_000_000;
const SAMPLED = [
  'an empty call',
  'two reads of the clock',
  'measure()',
  'using span(), as try and finally',
  'using span(), compiled by TypeScript',
  'using span(), of the language',
  '@profiled()',
  'span() and end()',
  'performance.measure()',
  'OpenTelemetry, SDK without an exporter',
];

const session = new Session();
session.connect();
for (const kind of SAMPLED.filter((one) => KINDS[one] !== undefined)) {
  // Until it is compiled by the optimising compiler: what comes before that is not the steady state.
  for (let i = 0; i < 20; i++) KINDS[kind](100_000);
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 4096,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  KINDS[kind](CALLS);
  const { profile } = await session.post('HeapProfiler.stopSampling');
  const functions = new Map();
  const walk = (node) => {
    const { functionName, url } = node.callFrame;
    const isOurs = url !== '' && !url.startsWith('node:');
    const name = `${functionName === '' ? '(anonymous)' : functionName}${isOurs ? ` (${url.split('/').at(-1)})` : ' (node)'}`;
    if (node.selfSize > 0) functions.set(name, (functions.get(name) ?? 0) + node.selfSize);
    for (const child of node.children) walk(child);
  };
  walk(profile.head);
  const total = [...functions.values()].reduce((sum, size) => sum + size, 0);
  const top = [...functions].sort(([, a], [, b]) => b - a).slice(0, 3);
  const told = top.map(([name, size]) => `${name} ${(size / CALLS).toFixed(2)}`).join(', ');
  console.log(
    `  ${kind.padEnd(40)} ${(total / CALLS).toFixed(2).padStart(8)} B a call${told === '' ? '' : `: ${told}`}`,
  );
}
session.disconnect();
