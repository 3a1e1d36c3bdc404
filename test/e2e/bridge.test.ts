import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { probeRealtime } from '../../src/target/index.js';
import {
  BRIDGE_IMAGE,
  type BridgeContainer,
  type Counted,
  linesOf,
  makeBridgeImage,
  startBridge,
} from '../docker/bridge-container.js';
import { startDocker, type TestDocker, whyNoComposeV2, whyNoDocker } from '../docker/daemon.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { profiler, ROOT } from './demo-simulation.js';
import { portsOf, statusOf } from './node-targets.js';

interface Bucket {
  readonly id: string;
  readonly share: number;
  readonly ofWork?: number;
  readonly parts?: readonly { readonly kind?: string; readonly label?: string; readonly share: number }[];
}

interface Answer {
  readonly findings: readonly { readonly id: string; readonly level: string; readonly what: string }[];
  readonly threads: readonly {
    readonly tid: number;
    readonly nsTid?: number;
    readonly buckets: readonly Bucket[];
  }[];
}

interface Written {
  readonly backend: string;
  readonly policy: string;
  readonly route: string;
  readonly target: { readonly pid: number; readonly nsPid: number; readonly containerName?: string };
  readonly slices: readonly { readonly startNs: string; readonly endNs: string }[];
}

/** In a container of cgroup v1 too, though its group has no real-time runtime. */
const policy = (await probeRealtime()).allowed ? { policy: 'fifo:50' } : {};

/** Ports of the bridge: for its clients, and for poses. */
const OWN_PORTS = [9090, 9091];

let engine: TestDocker;
let folder: string;

beforeAll(async () => {
  if (whyNoDocker !== undefined) return;
  engine = await startDocker();
  folder = mkdtempSync(join(tmpdir(), 'profiler-e2e-'));
  await makeBridgeImage(engine);
});
afterAll(async () => {
  if (whyNoDocker !== undefined) return;
  await engine.docker.getImage(BRIDGE_IMAGE).remove({ force: true });
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function attach(out: string, ...chosen: readonly string[]) {
  const ran = await profiler(
    ['attach', ...chosen, '-d', '3', '--no-baseline', '--json', '-o', join(folder, out)],
    { cwd: folder, env: { ...engine.env, XDG_STATE_HOME: join(folder, 'state') } },
  );
  expect({ code: ran.code, err: ran.err }).toMatchObject({ code: 0 });
  return {
    answer: JSON.parse(ran.out) as Answer,
    recording: JSON.parse(readFileSync(join(folder, out, 'recording.json'), 'utf8')) as Written,
  };
}

/** What must be the same before and after. */
async function stateOf({ container, pid }: BridgeContainer) {
  const { State, RestartCount } = await container.inspect();
  const journal = join(folder, 'state/sim-profiler/journal');
  return {
    pid: State.Pid,
    startedAt: State.StartedAt,
    restarts: RestartCount,
    ports: portsOf(pid).toSorted(),
    signals: statusOf(pid).match(/^Sig.*$/gm),
    changed: (await container.changes()) ?? [],
    containers: (await engine.docker.listContainers({ all: true })).map(({ Names }) => Names[0]).toSorted(),
    journal: existsSync(journal) ? readdirSync(journal) : [],
  };
}

/** Messages a second of each topic while it was sampled, between the first and the last count of the client within that time. */
async function ratesWhile({ slices }: Written, counted: () => Promise<readonly Counted[]>) {
  const from = BigInt(slices.at(0)?.startNs ?? 0);
  const to = BigInt(slices.at(-1)?.endNs ?? 0);
  await vi.waitUntil(async () => BigInt((await counted()).at(-1)?.atNs ?? 0) > to, 20_000);
  const within = (await counted()).filter(({ atNs }) => BigInt(atNs) >= from && BigInt(atNs) <= to);
  const [first, last] = [within.at(0), within.at(-1)];
  if (first === undefined || last === undefined) throw new Error('the client counted nothing meanwhile');
  const seconds = Number(BigInt(last.atNs) - BigInt(first.atNs)) / 1e9;
  return {
    odom: (last.odom - first.odom) / seconds,
    scan: (last.scan - first.scan) / seconds,
    missed: last.missed - first.missed,
  };
}

function expectWorkWhereItIsDone({ threads }: Answer): void {
  const buckets = new Map(threads[0]?.buckets.map((one) => [one.id, one]));
  const share = (id: string): number => buckets.get(id)?.share ?? 0;
  const publishing = buckets.get('publishing')?.parts ?? [];
  const part = (kind: string): number =>
    publishing.reduce((sum, one) => (one.kind === kind ? sum + one.share : sum), 0);
  // Of the time with something to run; of the wall it is a few percent.
  expect(buckets.get('publishing')?.ofWork).toBeGreaterThan(0.5);
  expect(share('publishing')).toBeGreaterThan(0);
  expect(part('serialize')).toBeGreaterThan(0);
  expect(part('socket')).toBeGreaterThan(0);
  expect(share('idle')).toBeGreaterThan(0.5);
}

describeWhere(whyNoDocker === undefined, whyNoDocker ?? '')('the WebSocket bridge in a container', (test) => {
  let bridge: BridgeContainer;
  beforeAll(async () => {
    if (whyNoDocker === undefined) bridge = await startBridge(engine.docker, `e2e-bridge-${process.pid}`);
  });
  afterAll(async () => {
    await bridge?.remove();
  });

  const ways = [
    ['the number of its process', () => ['--pid', String(bridge.pid)]],
    ['the name of its container', () => ['--container', bridge.name]],
  ] as const;
  for (const [index, [way, chosen]] of ways.entries()) {
    // One way is enough of a test: the other leads to the same process.
    (index === 0 ? onlyWithAll(test) : test)(
      `is sampled by ${way} while it sends, and is left as it was`,
      async () => {
        const before = await stateOf(bridge);
        expect(before).toMatchObject({ ports: OWN_PORTS, journal: [] });
        const { answer, recording } = await attach(String(index), ...chosen());
        expect(recording).toMatchObject({ backend: 'node', route: 'nsenter', ...policy });
        expect(recording.target).toMatchObject({ pid: bridge.pid, nsPid: 1 });
        expect(answer.threads[0]).toMatchObject({ tid: bridge.pid, nsTid: 1 });
        expectWorkWhereItIsDone(answer);
        expect(await stateOf(bridge)).toEqual(before);
        const rates = await ratesWhile(recording, bridge.counted);
        for (const rate of [rates.odom, rates.scan]) {
          expect(rate).toBeGreaterThan(85);
          expect(rate).toBeLessThan(105);
        }
        expect(rates.missed).toBe(0);
      },
    );
  }

  test('ends by SIGTERM with its counts: nothing was skipped', async () => {
    await bridge.container.stop({ t: 10 });
    expect((await bridge.container.inspect()).State.ExitCode).toBe(0);
    const counts = JSON.parse((await linesOf(bridge.container)).at(-1) ?? '') as Record<string, number>;
    expect(counts).toMatchObject({ clients: 1, skipped: 0, failed: 0, broken: 0 });
    const last = (await bridge.counted()).at(-1);
    expect(counts['sent']).toBeGreaterThanOrEqual((last?.odom ?? 0) + (last?.scan ?? 0));
  });
});

const whyNoCompose = whyNoComposeV2 ?? whyNoDocker;
describeWhere(whyNoCompose === undefined, whyNoCompose ?? '')('the bridge in the demo stack', (test) => {
  const heavy = onlyWithAll(test);
  heavy('is sampled by the name of its service', async () => {
    const project = `e2e-bridge-${process.pid}`;
    const stack = [
      'compose',
      '-p',
      project,
      '-f',
      join(ROOT, 'compose/compose.yaml'),
      '--profile',
      'websocket',
    ];
    const docker = (...args: readonly string[]) =>
      execa('docker', [...stack, ...args], { env: { ...engine.env, BRIDGE_IMAGE } });
    const services = ['websocket', 'websocket-client'];
    try {
      await docker('up', '-d', '--no-build', ...services);
      // The client has had messages.
      await vi.waitUntil(
        async () => (await docker('logs', 'websocket-client')).stdout.includes('scan'),
        20_000,
      );
      const { answer, recording } = await attach('service', '--service', 'websocket', '--project', project);
      expect(recording).toMatchObject({ backend: 'node', target: { nsPid: 1 } });
      expectWorkWhereItIsDone(answer);
      expect(portsOf(recording.target.pid).toSorted()).toEqual(OWN_PORTS);
    } finally {
      await docker('down', '-t', '5');
    }
    const left = await engine.docker.listContainers({ all: true });
    expect(left.filter(({ Labels }) => Labels['com.docker.compose.project'] === project)).toEqual([]);
  });
});
