// What a span costs and what it is worth.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { ROOT, median, row } from './demo-simulation.mjs';
import { KINDS } from './telemetry-kinds.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string', default: '' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '5' },
  },
});

function said(program, args) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

const script = (name, ...args) => said(process.execPath, [join(ROOT, 'scripts/bench', name), ...args]);
const DEQUE = 'Python: a deque for each category';
const kinds = [...Object.keys(KINDS), ...(options.python === '' ? [] : [DEQUE])];
const rounds = Number(options.rounds);
const measured = new Map(kinds.map((kind) => [kind, []]));
// One after the other, round by round: what disturbs the machine disturbs all.
for (let i = 0; i < rounds; i++) {
  for (const kind of kinds) {
    const text =
      kind === DEQUE
        ? said(options.python, [join(ROOT, 'scripts/bench/deque_profiler.py')])
        : script('telemetry-kinds.mjs', kind);
    measured.get(kind).push(Number(text));
  }
}
const of = (kind) => median(measured.get(kind));
/** The median of what each round says. */
const by = (a, b) => median(measured.get(a).map((ns, i) => ns / measured.get(b)[i]));
const over = (a, b) => median(measured.get(a).map((ns, i) => ns - measured.get(b)[i]));

const ASYNC = 'an empty async call';
const CLOCK = 'two reads of the clock';
/** What both cost beyond two reads of the clock, which any of them needs. */
const beyond = (peer) =>
  median(
    measured
      .get(peer)
      .map(
        (ns, i) => (ns - measured.get(CLOCK)[i]) / (measured.get('measure()')[i] - measured.get(CLOCK)[i]),
      ),
  );

const source = '/sys/devices/system/clocksource/clocksource0/current_clocksource';
if (existsSync(source)) console.log(`The clock of this machine: ${readFileSync(source, 'utf8').trim()}`);
console.log(`Node ${process.versions.node}, ${rounds} rounds; nanoseconds of a call, the medians of rounds`);
const widths = [52, 9, 12, 12];
console.log(row(['', 'ns', 'over empty', 'over clock'], widths));
for (const kind of kinds) {
  const isAsync = kind === ASYNC || kind.includes('of an async');
  const base = isAsync ? ASYNC : 'an empty call';
  const isPython = kind === DEQUE;
  console.log(
    row(
      [
        kind,
        of(kind).toFixed(1),
        isPython ? '-' : over(kind, base).toFixed(1),
        isPython || isAsync ? '-' : over(kind, CLOCK).toFixed(1),
      ],
      widths,
    ),
  );
}
for (const peer of [
  'performance.measure()',
  'performance.mark(), mark() and measure()',
  'performance.mark(), mark() and measure(), observed',
  'OpenTelemetry, SDK without an exporter',
  ...(options.python === '' ? [] : [DEQUE]),
])
  console.log(
    `measure() is ${by(peer, 'measure()').toFixed(1)} times cheaper than ${peer}; beyond the clock, ${beyond(peer).toFixed(1)} times`,
  );

console.log('Allocated in the steady state:');
process.stdout.write(script('telemetry-allocation.mjs'));
console.log('Workers:');
process.stdout.write(script('telemetry-workers.mjs', options.seconds));

const bundle = await rolldown({
  input: 'page',
  platform: 'browser',
  plugins: [
    {
      name: 'page',
      resolveId: (id) => (id === 'page' ? id : undefined),
      load: (id) =>
        id === 'page'
          ? `import { createTelemetry } from ${JSON.stringify(join(ROOT, 'dist/telemetry/browser.js'))};\nglobalThis.t = createTelemetry();`
          : undefined,
    },
  ],
});
const [{ code }] = (await bundle.generate({ format: 'esm', minify: true })).output;
console.log(
  `A page with the span part loads ${gzipSync(code, { level: 9 }).length} bytes of it (gzip), ${code.length} unpacked`,
);
