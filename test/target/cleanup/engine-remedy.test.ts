import { afterAll, beforeAll, describe, expect, it as always } from 'vitest';
import { engineRemedy } from '../../../src/target/cleanup/engine-remedy.js';
import { OWNER_LABEL, ownerMark } from '../../../src/target/cleanup/owner.js';
import { apply, type CleanupItem } from '../../../src/target/cleanup/remedy.js';
import { sweepEngine } from '../../../src/target/cleanup/sweep-engine.js';
import {
  type Engine,
  KIND_LABEL,
  openEngine,
  putFile,
  statFile,
  type Trace,
} from '../../../src/target/index.js';
import { startDocker, whyNoDocker, type TestDocker } from '../../docker/daemon.js';
import {
  CONTAINER_PYTHON,
  startSimulation,
  whyNoSimulation,
  type SimulationContainer,
  type SimulationOptions,
} from '../../docker/simulation-container.js';
import { describeWhere } from '../../only-where.js';

const why = whyNoDocker ?? whyNoSimulation;
const YES = { dryRun: false, consent: () => Promise.resolve(true) };
/** Of a process that has ended, on this machine. */
const [, , HOME] = ownerMark().split(':');
const ENDED = `1:987654321:${HOME}`;

function sidecar(owner: string): Partial<SimulationOptions> {
  return { labels: { [KIND_LABEL]: 'sidecar', [OWNER_LABEL]: owner } };
}

describeWhere(why === undefined, why ?? '')('what is left on an engine', (it) => {
  let test: TestDocker;
  let engine: Engine;
  const made: SimulationContainer[] = [];
  beforeAll(async () => {
    if (why !== undefined) return;
    test = await startDocker();
    engine = await openEngine(test.env);
  });
  afterAll(async () => {
    await Promise.all(made.map((one) => one.remove()));
    await test?.stop();
  });

  async function container(
    name: string,
    more: Partial<SimulationOptions> = {},
  ): Promise<SimulationContainer> {
    const command = [CONTAINER_PYTHON, '-c', 'import time; time.sleep(600)'];
    const one = await startSimulation(test.docker, { name, command, ...more });
    made.push(one);
    return one;
  }

  async function takeBack(
    trace: Trace & { readonly kind: 'container' | 'file' | 'image' },
  ): Promise<CleanupItem> {
    return apply(
      engineRemedy(trace, () => Promise.resolve(engine)),
      YES,
    );
  }

  const exists = async (name: string): Promise<boolean> =>
    (await test.docker.listContainers({ all: true })).some(({ Names }) => Names.includes(`/${name}`));

  it('is no container that carries no label of ours', async () => {
    await container('d-foreign', { start: false });
    expect(await takeBack({ kind: 'container', engine: engine.host, name: 'd-foreign' })).toMatchObject({
      state: 'left',
      because: 'it carries no label of ours, so somebody else made it',
    });
    expect(await exists('d-foreign')).toBe(true);
  });

  it('is a container of ours, running or not', async () => {
    for (const start of [undefined, false] as const) {
      await container('d-ours', {
        labels: { [KIND_LABEL]: 'sidecar' },
        ...(start === false ? { start } : {}),
      });
      const trace = { kind: 'container', engine: engine.host, name: 'd-ours' } as const;
      expect((await takeBack(trace)).state).toBe('done');
      expect(await exists('d-ours')).toBe(false);
      expect((await takeBack(trace)).state).toBe('gone');
    }
  });

  it('is a file in a container, whoever may remove it there', async () => {
    const { id, container: handle } = await container('d-file', { user: '1000', capDrop: ['ALL'] });
    const name = 'py-spy-0123456789ab';
    await putFile(engine, id, { folder: '/', name, content: Buffer.from('x') });
    const trace = { kind: 'file', engine: engine.host, container: id, path: `/${name}` } as const;
    await handle.pause();
    expect(await takeBack(trace)).toMatchObject({
      state: 'left',
      because: 'the container is paused',
      fix: `docker unpause ${id.slice(0, 12)} && profiler cleanup`,
    });
    await handle.unpause();
    await handle.kill();
    await handle.wait();
    expect(await takeBack(trace)).toMatchObject({
      state: 'left',
      because: 'the container does not run',
      fix: `docker start ${id.slice(0, 12)} && profiler cleanup`,
    });
    await handle.start();
    expect((await takeBack(trace)).state).toBe('done');
    expect(await statFile(engine, id, `/${name}`)).toBeUndefined();
    expect((await takeBack({ ...trace, path: '/py-spy-000000000000' })).state).toBe('gone');
    await handle.remove({ force: true });
    expect((await takeBack(trace)).state).toBe('gone');
  });

  it('is found by its labels, unless its profiler lives or may live', async () => {
    await container('d-ended', sidecar(ENDED));
    await container('d-lives', sidecar(ownerMark()));
    await container('d-elsewhere', sidecar('1:2:4026531836-00000000'));
    await container('d-never', { ...sidecar('1:2:4026531836-00000000'), start: false });
    await container('d-written', sidecar(ENDED));
    const inUse = [{ kind: 'container', engine: engine.host, name: 'd-written' }] as const;
    const remedies = await sweepEngine(engine, inUse, () => Promise.resolve(engine));
    const ours = remedies.filter(({ what }) => what.startsWith('container d-'));
    const items = await Promise.all(ours.map((remedy) => apply(remedy, YES)));
    const states = Object.fromEntries(items.map((item) => [item.what.split(' ')[1], item]));
    expect(states).toMatchObject({
      'd-ended': { state: 'done' },
      'd-never': { state: 'done' },
      'd-elsewhere': { state: 'left', fix: 'docker rm -f d-elsewhere' },
    });
    expect(Object.keys(states).sort()).toEqual(['d-elsewhere', 'd-ended', 'd-never']);
    const left = ['d-ended', 'd-lives', 'd-elsewhere', 'd-never', 'd-written'];
    expect(await Promise.all(left.map(exists))).toEqual([false, true, true, false, true]);
    // While a profiler lives its image stays.
    expect(remedies.filter(({ kind }) => kind === 'image')).toEqual([]);
  });
});

const nobody = (): Promise<Engine> => Promise.reject(new Error('asked'));

describe('a file that a journal names', () => {
  always.each([
    '/etc/passwd',
    '/tmp/py-spy-0123456789ab',
    '/py-spy-0123456789ab/x',
    '/py-spy-',
    '/py-spy-0123456789ab\n',
  ])('is not touched where its name is none of ours: %j', async (path) => {
    const trace = { kind: 'file', engine: 'unix:///x', container: 'c', path } as const;
    expect(await apply(engineRemedy(trace, nobody), YES)).toMatchObject({
      state: 'left',
      because: 'no file of ours has such a name, so it is not removed',
    });
  });
});
