// Every route into every kind of container: works, with how far its shares are from the simulation's own truth, or the finding that says
// why it does not. Then what each route costs: time to the first sample, and the loop's steps before and meanwhile.
//
// The containers are services of a compose project of their own, so that the override can be tried too. Prints tables in Markdown.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, percent, profiler, startSimulation, truthOver } from './demo-simulation.mjs';
import { expectedShares, physicsOf, WORK_BUCKETS } from './held-to-truth.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string' },
    'py-spy': { type: 'string' },
    work: { type: 'string' },
    image: { type: 'string' },
    // Path of the Compose plugin or of docker-compose.
    compose: { type: 'string' },
    seconds: { type: 'string', default: '6' },
    // Of what each route costs; 0 leaves it out.
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    routes: { type: 'string' },
  },
});

const NOEXEC_TMP = ['/tmp:noexec,mode=1777'];
const HARD = {
  user: '1000:1000',
  read_only: true,
  tmpfs: NOEXEC_TMP,
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
  cpus: 0.5,
  pids_limit: 64,
  entrypoint: [],
};
/** Beside the image, whose entrypoint drops root to 1000:1000, the command and no network. */
const KINDS = {
  root: { entrypoint: [] },
  'user 1000': { user: '1000:1000', entrypoint: [] },
  'root drops to 1000': {},
  'read-only root': { read_only: true, tmpfs: ['/tmp'] },
  'noexec /tmp': { tmpfs: NOEXEC_TMP },
  'cap_drop ALL': { cap_drop: ['ALL'], user: '1000:1000', entrypoint: [] },
  'no-new-privileges': { security_opt: ['no-new-privileges:true'], user: '1000:1000', entrypoint: [] },
  'cpus 0.5': { cpus: 0.5 },
  init: { init: true },
  'restart policy': { restart: 'always' },
  'all of it': HARD,
};
const ROUTES = ['nsenter', 'sidecar', 'exec', 'host', 'privileged', 'override'];
const PROJECT = `bench-routes-${process.pid}`;
const FILE = join(options.work, 'compose.json');
const RING = '/dev/shm/rover.ring';
// `--only none` leaves the table out.
const kinds = options.only === 'none' ? [] : (options.only?.split(',') ?? Object.keys(KINDS));
const routes = options.routes?.split(',') ?? ROUTES;
mkdirSync(options.work, { recursive: true });

function compose(...args) {
  const result = spawnSync(options.compose, ['-p', PROJECT, '-f', FILE, ...args], { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`compose ${args.join(' ')}: ${result.stderr}`);
}

/** Resolves once the simulation of the service steps: its ring is there and grows. */
async function up(kind, load) {
  const service = {
    image: options.image,
    network_mode: 'none',
    stop_signal: 'SIGINT',
    command: ['python3', '-m', 'rover_sim', '--headless', ...load, '--truth', RING],
    ...KINDS[kind],
  };
  // JSON is YAML.
  writeFileSync(FILE, JSON.stringify({ services: { bridge: service } }));
  compose('up', '-d', '--no-build');
  const deadline = Date.now() + 60_000;
  for (;;) {
    const found = pidOf();
    if (found !== undefined && existsSync(`/proc/${found}/root${RING}`)) return;
    if (Date.now() > deadline) throw new Error(`${kind}: the simulation does not step`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * Flags of a load of this size. Sizing it takes the simulation seconds of stepping that its truth does not hold, which an override would
 * begin anew: it is done once, and given by hand from then on.
 */
async function loadOf(busy) {
  const pace = ['--pacing', 'realtime', '--hz', '500'];
  await up('root', [...pace, '--busy', busy]);
  const logs = spawnSync(options.compose, ['-p', PROJECT, '-f', FILE, 'logs', 'bridge'], {
    encoding: 'utf8',
  });
  compose('down', '-t', '5');
  const sized = /calibration: --load (\S+)/.exec(`${logs.stdout}${logs.stderr}`)?.[1];
  if (sized === undefined)
    throw new Error(`the simulation does not say how it sized its load: ${logs.stdout}`);
  return [...pace, '--load', sized];
}

/** Pid of the simulation on this machine. */
function pidOf() {
  const ids = spawnSync(options.compose, ['-p', PROJECT, '-f', FILE, 'ps', '-q', 'bridge'], {
    encoding: 'utf8',
  });
  const id = ids.stdout.trim();
  if (id === '') return undefined;
  const top = spawnSync('docker', ['top', id, '-eo', 'pid,args'], { encoding: 'utf8' });
  const line = top.stdout
    .split('\n')
    .find((one) => /\bpython3 -m rover_sim\b/.test(one) && !/setpriv|tini|init/.test(one));
  return line === undefined ? undefined : Number(line.trim().split(/\s+/)[0]);
}

const attach = (route, seconds, folder, flags = []) =>
  profiler(
    [
      'attach',
      '--service',
      'bridge',
      '--project',
      PROJECT,
      '--via',
      route,
      '--yes',
      '-d',
      `${seconds}`,
      '--json',
      '-o',
      folder,
      ...flags,
    ],
    { cwd: options.work, pyspy: options['py-spy'] },
  );

/** One cell: how far the shares are from the truth, or why there are none. */
async function cell(route) {
  const folder = join(options.work, 'cell');
  rmSync(folder, { recursive: true, force: true });
  // The ring of an override goes with its container: its truth is read from the file that was copied meanwhile.
  const keep = route === 'override' ? watchRing() : undefined;
  const run = await attach(route, options.seconds, folder, ['--no-baseline']);
  keep?.stop();
  const json = run.stdout === '' ? undefined : JSON.parse(run.stdout);
  if (run.exitCode !== 0) return { text: `no: \`${json?.findings?.[0]?.id ?? run.stderr.slice(0, 80)}\`` };
  const recording = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8'));
  const ring = keep === undefined ? `/proc/${pidOf()}/root${RING}` : ringCopy(recording.target.pid);
  const truth = await truthOver(
    options.python,
    ring,
    recording.slices.map((s) => [s.startNs, s.endNs]),
  );
  const { thread, buckets } = physicsOf(json);
  const { expected } = expectedShares(thread, truth, false);
  const errors = [...WORK_BUCKETS, 'pacer'].map((b) => Math.abs((buckets.get(b)?.share ?? 0) - expected[b]));
  const inner = recording.target.nsPid ?? recording.target.pid;
  const ids = thread.nsTid === undefined || thread.nsTid === inner ? '' : ', wrong thread id';
  const priority = recording.policy.startsWith('fifo') ? '' : ', normal priority';
  const warned = json.findings.filter((f) => f.level === 'warning').map((f) => f.id);
  return {
    text: `${percent(errors.reduce((a, b) => a + b, 0) / errors.length)} / ${percent(Math.max(...errors))}${ids}${priority}`,
    warned,
  };
}

const ringCopy = (pid) => join(options.work, `override-${pid}.ring`);

/** Copies the ring of whatever process the service has, again and again: the last whole copy of each outlives the process. */
function watchRing() {
  const timer = setInterval(() => {
    const pid = pidOf();
    if (pid === undefined) return;
    try {
      writeFileSync(ringCopy(pid), readFileSync(`/proc/${pid}/root${RING}`));
    } catch {
      // Between two lives of the container there is none.
    }
  }, 400);
  return { stop: () => clearInterval(timer) };
}

const LOAD = await loadOf('0.4');
// Half a CPU is not enough for the other.
const LIGHT_LOAD = await loadOf('0.2');
console.log(
  `### Shares against the truth, ${options.seconds} s, 500 Hz, 40 % busy: mean / worst error in points\n`,
);
console.log(`| container | ${routes.join(' | ')} |`);
console.log(`|---|${routes.map(() => '---').join('|')}|`);
const warnings = new Map();
for (const kind of kinds) {
  await up(kind, KINDS[kind].cpus === undefined ? LOAD : LIGHT_LOAD);
  const cells = [];
  for (const route of routes) {
    const { text, warned = [] } = await cell(route).catch((error) => ({
      text: `no figure: ${String(error.stderr ?? error.message)
        .trim()
        .split('\n')
        .at(-1)}`,
    }));
    cells.push(text);
    if (warned.length > 0) warnings.set(`${kind}, ${route}`, warned.join(', '));
  }
  console.log(`| ${kind} | ${cells.join(' | ')} |`);
  compose('down', '-t', '5');
}
if (warnings.size > 0) console.log('\nWarnings with it:');
for (const [where, ids] of warnings) console.log(`- ${where}: ${ids}`);

const rounds = Number(options.rounds);

/** Long enough to count steps by: at 500 Hz one step is a 4000th. */
const COST_S = 8;

/** Of each round: milliseconds from the command to the first sample, and the loop's steps a second while sampled against just before. */
async function costs(run, ring) {
  const starts = [];
  const changes = [];
  for (let round = 0; round < rounds; round++) {
    const folder = join(options.work, 'cost');
    rmSync(folder, { recursive: true, force: true });
    const aloneNs = process.hrtime.bigint();
    await new Promise((resolve) => setTimeout(resolve, COST_S * 1000));
    const from = process.hrtime.bigint();
    const { exitCode, stderr } = await run(folder, ['--no-baseline']);
    if (exitCode !== 0) throw new Error(stderr);
    const { slices } = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8'));
    starts.push(Number(BigInt(slices[0].startNs) - from) / 1e6);
    const alone = await truthOver(options.python, ring, [[aloneNs, from]]);
    // From the first slice to the last: the start of each sampler counts too.
    const sampled = await truthOver(options.python, ring, [[slices[0].startNs, slices.at(-1).endNs]]);
    changes.push(sampled.stepsPerS / alone.stepsPerS - 1);
  }
  return { startMs: median(starts), change: median(changes) };
}

function printCost(name, { startMs, change }, beyond) {
  console.log(`| ${name} | ${startMs.toFixed(0)} ms | ${beyond} | ${(100 * change).toFixed(2)} % |`);
}

if (rounds > 0) {
  console.log(`\n### What a route costs: medians of ${rounds}\n`);
  console.log(
    '| route | first sample after | beyond a process of this machine | steps of the loop while sampled |',
  );
  console.log('|---|---|---|---|');
  const sim = await startSimulation({ ...options, name: 'direct', flags: LOAD });
  const direct = await costs(
    (folder, flags) =>
      profiler(['attach', '--pid', `${sim.pid}`, '-d', `${COST_S}`, '-o', folder, ...flags], {
        cwd: options.work,
        pyspy: options['py-spy'],
      }),
    sim.ring,
  );
  await sim.stop();
  printCost('none', direct, '');
  await up('root drops to 1000', LOAD);
  for (const route of routes.filter((one) => one !== 'override' && one !== 'privileged')) {
    const ring = `/proc/${pidOf()}/root${RING}`;
    const cost = await costs((folder, flags) => attach(route, COST_S, folder, flags), ring);
    printCost(route, cost, `${(cost.startMs - direct.startMs).toFixed(0)} ms`);
  }
  compose('down', '-t', '5');
}
rmSync(FILE, { force: true });
