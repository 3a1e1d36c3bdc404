import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openEngine, ROUTE_KINDS } from '../../../src/target/index.js';
import { sidecarReference } from '../../../src/target/routes/sidecar-image.js';
import type { TestDocker } from '../../docker/daemon.js';
import { startPodman, whyNoPodman } from '../../docker/podman.js';
import {
  type SimulationContainer,
  type SimulationOptions,
  startSimulation,
  whyNoSimulation,
} from '../../docker/simulation-container.js';
import { ALL, describeWhere } from '../../only-where.js';
import { scratch } from '../scratch.js';
import { CHEAP, changedPaths, contextOf, newJournal, NO_PYSPY, pyspy, recordArgs, watch } from './beside.js';

const why = whyNoPodman ?? whyNoSimulation ?? (pyspy === undefined ? NO_PYSPY : undefined);

const KINDS: readonly (readonly [string, Pick<SimulationOptions, 'user' | 'capDrop'>])[] = [
  ['root without a capability', { capDrop: ['ALL'] }],
  ['user 1000', { user: '1000' }],
];
const TARGETS = ALL ? KINDS : KINDS.slice(0, 1);

describeWhere(why === undefined, why ?? '')("Podman's Docker socket", (it) => {
  let podman: TestDocker;
  beforeAll(async () => {
    podman = await startPodman();
  });
  afterAll(() => podman?.stop());

  it('is told from Docker, and root from a rootless one', async () => {
    expect(await openEngine(podman.env)).toMatchObject({ kind: 'podman', rootless: false, local: true });
  });

  // Its `/` has mode 0555: without CAP_DAC_OVERRIDE not even root inside may remove what was put there.
  describe.each(TARGETS)('%s', (name, options) => {
    let simulation: SimulationContainer;
    let before: readonly string[];
    beforeAll(async () => {
      simulation = await startSimulation(podman.docker, {
        ...CHEAP,
        ...options,
        name: `podman-${name.replaceAll(' ', '-')}`,
      });
      before = await changedPaths(simulation);
    });
    afterAll(() => simulation?.remove());

    for (const id of ['nsenter', 'sidecar', 'exec', 'host'])
      it(`is sampled by ${id}, which leaves nothing`, async () => {
        const context = { ...(await contextOf(podman, simulation)), journal: newJournal() };
        const probe = await ROUTE_KINDS.find((kind) => kind.id === id)?.probe(context);
        if (probe?.works !== true) throw new Error(`${id}: ${probe?.finding.what} ${probe?.finding.why}`);
        const { route } = probe;
        const file = join(scratch(), 'samples.raw');
        const ran = await watch(route.start(recordArgs(route, 1, file)));
        expect(ran).toMatchObject({ exit: 0 });
        const samples = route.output === 'file' ? readFileSync(file, 'utf8') : ran.samples;
        const others = samples
          .trim()
          .split('\n')
          .filter((line) => !line.startsWith(`thread (${simulation.nsPid}): MainThread;`));
        expect(others).toEqual([]);
        expect(samples).toContain('Loop._tick (/opt/sim/plain_loop.py:');
        expect(await route.undo()).toEqual([]);
        expect(context.journal.traces()).toEqual([]);
        expect(await changedPaths(simulation)).toEqual(before);
        expect((await podman.docker.listContainers({ all: true })).map(({ Id }) => Id)).toEqual([
          simulation.id,
        ]);
      });
  });

  it('keeps the image of the sidecars under its own name', async () => {
    const { path = '', version = '' } = pyspy ?? {};
    const image = podman.docker.getImage(sidecarReference(version, readFileSync(path)));
    expect(Object.keys((await image.inspect()).Config.Labels ?? {})).toContain('sim-profiler.kind');
  });
});
