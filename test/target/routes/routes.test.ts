import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isSampler } from '../../../src/target/cleanup/process-remedy.js';
import { TARGET_LABEL } from '../../../src/target/docker/labels.js';
import { listIds } from '../../../src/target/proc/file.js';
import { readContainer } from '../../../src/target/proc/container.js';
import {
  readStat,
  ROUTE_KINDS,
  schedulingPolicy,
  type Route,
  type RouteContext,
  type RouteKind,
} from '../../../src/target/index.js';
import { quotaCpus } from '../../../src/target/routes/quota.js';
import { canLeaveQuota } from '../../../src/target/routes/raise-priority.js';
import { startDocker, whyNoDocker, type TestDocker } from '../../docker/daemon.js';
import {
  startSimulation,
  whyNoSimulation,
  type SimulationContainer,
  type SimulationOptions,
} from '../../docker/simulation-container.js';
import { scratch } from '../scratch.js';
import {
  CHEAP,
  changedPaths,
  contextOf,
  NO_PYSPY,
  newJournal,
  pyspy,
  realtime,
  recordArgs,
  untilSampled,
  watch,
} from './beside.js';

const why = whyNoDocker ?? whyNoSimulation ?? (pyspy === undefined ? NO_PYSPY : undefined);

const EVERYTHING = {
  user: '1000',
  readOnly: true,
  noexecTmp: true,
  capDrop: ['ALL'],
  noNewPrivileges: true,
  cpus: 0.5,
  pidsLimit: 64,
};

const TARGETS: readonly (readonly [string, Omit<SimulationOptions, 'name'>])[] = [
  ['root', { init: true }],
  ['user 1000', { user: '1000' }],
  ['root dropping to 1000', { drop: true }],
  ['a read-only root', { readOnly: true }],
  ['a /tmp without exec', { noexecTmp: true }],
  ["no capabilities, in the host's pid namespace", { capDrop: ['ALL'], pidMode: 'host' }],
  ['all of it', EVERYTHING],
];

const IDS = ['nsenter', 'sidecar', 'exec', 'host'] as const;

function kindOf(id: string): RouteKind {
  const kind = ROUTE_KINDS.find((one) => one.id === id);
  if (kind === undefined) throw new Error(`no route ${id}`);
  return kind;
}

/** What a route says of itself. Where real-time priority is granted, a sampler also leaves the quota of its container. */
function limitsOf(
  id: (typeof IDS)[number],
  { hostPid, nsPid }: SimulationContainer,
  { cpus }: Partial<SimulationOptions>,
): readonly string[] {
  if (id === 'host') return hostPid === nsPid ? [] : ['host-thread-ids'];
  const refused = realtime.allowed || id === 'nsenter' ? [] : ['sampler-normal-priority'];
  const shares = id === 'exec' && cpus !== undefined && !(realtime.allowed && canLeaveQuota());
  return shares ? [...refused, 'exec-cpu-quota'] : refused;
}

/** Samplers of ours at work in a container, or on its first process. */
function samplersIn({ id }: SimulationContainer): readonly number[] {
  return listIds('/proc').filter((pid) => id.startsWith(readContainer(pid) ?? '-') && isSampler(pid));
}

async function probed(id: string, context: RouteContext): Promise<Route> {
  const kind = kindOf(id);
  expect(kind.obstacle(context)).toBeUndefined();
  const probe = await kind.probe(context);
  if (!probe.works) throw new Error(`${id}: ${probe.finding.what} ${probe.finding.why}`);
  return probe.route;
}

describe.skipIf(why !== undefined)(
  `routes into containers${why === undefined ? '' : ` [skipped: ${why}]`}`,
  () => {
    let engine: TestDocker;
    beforeAll(async () => {
      engine = await startDocker();
    });
    afterAll(() => engine?.stop());

    async function sidecarsOf({ id }: SimulationContainer): Promise<readonly string[]> {
      const filters = { label: [`${TARGET_LABEL}=${id}`] };
      return (await engine.docker.listContainers({ all: true, filters })).map(({ Names }) => Names.join());
    }

    describe.each(TARGETS)('%s', (name, options) => {
      let simulation: SimulationContainer;
      let before: readonly string[];
      // Found once: later it would have samplers beside it.
      let base: RouteContext;
      beforeAll(async () => {
        simulation = await startSimulation(engine.docker, {
          ...CHEAP,
          ...options,
          name: `b-test-${name.replaceAll(/[^a-z0-9]+/g, '-')}`,
        });
        before = await changedPaths(simulation);
        base = await contextOf(engine, simulation);
      });
      afterAll(() => simulation?.remove());

      it.concurrent.each(IDS)('is sampled by %s, which leaves nothing', async (id) => {
        const context = { ...base, journal: newJournal() };
        const route = await probed(id, context);
        const file = join(scratch(), 'samples.raw');
        const ran = await watch(route.start(recordArgs(route, 2, file)));
        expect(ran).toMatchObject({ exit: 0 });
        const samples = route.output === 'file' ? readFileSync(file, 'utf8') : ran.samples;
        const lines = samples.trim().split('\n');
        expect(lines.filter((line) => !line.startsWith(`thread (${simulation.nsPid}): MainThread;`))).toEqual(
          [],
        );
        expect(samples).toContain('Loop._tick (/opt/sim/plain_loop.py:');
        expect(Number(/Samples: (\d+) Errors: \d+/.exec(ran.talk)?.[1])).toBeGreaterThan(0);

        // Ended early, once it has the priority that is to be had.
        const early = route.start(recordArgs(route, 600, file));
        const isSampling = once(early.stdout, 'data');
        const ending = watch(early);
        await isSampling;
        const earlyPid = (await early.pid) ?? 0;
        await untilSampled(earlyPid);
        if (realtime.allowed)
          await vi.waitFor(() => expect(schedulingPolicy(earlyPid)).toBe('fifo:50'), 10_000);
        const quota = quotaCpus(earlyPid);
        early.interrupt();
        const ended = await ending;
        expect(ended.exit).toBe(0);
        expect(ended.talk).toMatch(
          /Stopped sampling because Control-C pressed\n.*Wrote raw flamegraph data/s,
        );
        const limits = route.findings.map((finding) => finding.id);
        expect(limits).toEqual(limitsOf(id, simulation, options));
        expect(quota === undefined || id === 'host' || limits.includes('exec-cpu-quota')).toBe(true);

        // Left at work, as by a caller that fails.
        const left = route.start(recordArgs(route, 600, file));
        const pid = (await left.pid) ?? 0;
        expect(pid).toBeGreaterThan(0);
        expect(await route.undo()).toEqual([]);
        expect(await route.undo()).toEqual([]);
        expect(await left.exit).not.toBe(0);
        expect(readStat(pid)).toBeUndefined();
        expect(context.journal.traces()).toEqual([]);
        expect(existsSync(context.journal.path)).toBe(false);
      });

      it('is as it was before', async () => {
        // A folder that a file was in for a while has another time of change.
        expect(await changedPaths(simulation)).toEqual(before);
        expect(samplersIn(simulation)).toEqual([]);
        expect(await sidecarsOf(simulation)).toEqual([]);
        expect((await simulation.container.inspect()).State).toMatchObject({ Running: true, Paused: false });
      });
    });
  },
);
