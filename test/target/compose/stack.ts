import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type Docker from 'dockerode';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { ProfilerError } from '../../../src/model/index.js';
import {
  type AppliedOverride,
  applyOverride,
  type ApplyOptions,
  type Engine,
  listOverrides,
  openEngine,
  openJournal,
  type OverridePlan,
  type OverrideQuery,
  planOverride,
  type ServiceInstance,
} from '../../../src/target/index.js';
import { inspectService, instanceOf } from '../../../src/target/compose/instances.js';
import { COMPOSE_V1, startDocker, type TestDocker } from '../../docker/daemon.js';
import { TEST_LABEL, testOwner } from '../../docker/leftovers.js';
import { EMPTY_IMAGE, makeEmptyImage } from '../../docker/simulation-container.js';

/** A loop that paces itself, and obeys SIGTERM unless it is told not to. */
const LOOP = `
import signal, sys, time
if "stubborn" not in sys.argv:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
while True:
    time.sleep(0.005)
`;

/** A service that runs the loop, as YAML to put under `services:`. */
export function loopService(name: string, more = '', args = ''): string {
  return `  ${JSON.stringify(name)}:
    image: ${EMPTY_IMAGE}
    network_mode: none
    labels: { ${TEST_LABEL}: "${testOwner()}" }
    volumes: [/usr:/usr:ro, /usr/lib:/lib:ro, /usr/lib64:/lib64:ro, ./app:/app:ro]
    command: [/usr/bin/python3, /app/loop.py${args === '' ? '' : `, ${args}`}]
${more}`;
}

export interface Stack {
  readonly folder: string;
  readonly project: string;
  readonly engine: Engine;
  readonly docker: Docker;
  /** For Compose and for us: an empty journal of its own. */
  readonly env: Readonly<Record<string, string>>;
  readonly write: (name: string, text: string) => string;
  /** Runs Compose in the folder, as a user would. */
  readonly compose: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<string>;
  /** Id of the container of a service. */
  readonly id: (service: string, number?: number) => Promise<string>;
  /** What must be as before; ids left out, since they may differ. */
  readonly state: (service: string) => Promise<readonly Omit<ServiceInstance, 'id'>[]>;
  /** Removes the project, whatever state it is in. */
  readonly remove: () => Promise<void>;
}

export type Generation = 'v1' | 'v2';

/** The stacks of a suite, on one engine: each goes after its test, the engine after the last. */
export interface SuiteStacks {
  readonly engine: () => TestDocker;
  /** A project folder with `app/loop.py`; nothing is up yet. */
  readonly make: (project: string, generation?: Generation, prefix?: string) => Promise<Stack>;
}

export function stacksOfSuite(): SuiteStacks {
  let engine: TestDocker | undefined;
  let made: Stack[] = [];
  const started = (): TestDocker => {
    if (engine === undefined) throw new Error('no engine was started');
    return engine;
  };
  beforeAll(async () => {
    engine = await startDocker();
  });
  afterEach(async () => {
    const last = made;
    made = [];
    for (const stack of last) await stack.remove();
  });
  afterAll(() => engine?.stop());
  return {
    engine: started,
    make: async (...wanted) => {
      const stack = await makeStack(started(), ...wanted);
      made.push(stack);
      return stack;
    },
  };
}

/** A project folder with `app/loop.py`; nothing is up yet. */
export async function makeStack(
  engine: TestDocker,
  project: string,
  generation: Generation = 'v2',
  prefix = 'profiler-stack-',
): Promise<Stack> {
  await makeEmptyImage(engine.docker);
  const folder = mkdtempSync(join(tmpdir(), prefix));
  const program = generation === 'v1' ? ['docker-compose'] : ['docker', 'compose'];
  const path = [dirname(COMPOSE_V1), process.env['PATH'] ?? ''].join(delimiter);
  const env = { ...engine.env, HOME: folder, XDG_STATE_HOME: join(folder, '.state'), PATH: path };
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  write('app/loop.py', LOOP);
  const list = (service: string): ReturnType<typeof inspectService> =>
    inspectService(engine.docker, project, service);
  return {
    folder,
    project,
    engine: await openEngine(env),
    docker: engine.docker,
    env,
    write,
    compose: async (args, more = {}) => {
      const [first = '', ...rest] = [...program, '-p', project, ...args];
      const run = await execa(first, rest, { cwd: folder, env: { ...env, ...more }, extendEnv: false });
      return run.stdout;
    },
    id: async (service, number = 1) => {
      const found = (await list(service)).find((info) => instanceOf(info).number === number);
      if (found === undefined) throw new Error(`no container of ${service}`);
      return found.Id;
    },
    state: async (service) => (await list(service)).map(instanceOf).map(withoutId),
    remove: async () => {
      for (const { undo } of listOverrides(env)) rmSync(undo.folder, { recursive: true, force: true });
      const filters = { label: [`com.docker.compose.project=${project}`] };
      for (const { Id } of await engine.docker.listContainers({ all: true, filters }))
        await engine.docker.getContainer(Id).remove({ force: true, v: true });
      for (const { Id } of await engine.docker.listNetworks({ filters }))
        await engine.docker.getNetwork(Id).remove();
      for (const { Name } of (await engine.docker.listVolumes({ filters })).Volumes)
        await engine.docker.getVolume(Name).remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function withoutId(instance: ServiceInstance): Omit<ServiceInstance, 'id'> {
  const { id, ...rest } = instance;
  return id === '' ? instance : rest;
}

/** The plan for a service, as a user in this shell gets it. */
export async function planFor(
  stack: Stack,
  service: string,
  more: Partial<OverrideQuery> = {},
): Promise<OverridePlan> {
  return planOverride({ engine: stack.engine, env: stack.env, container: await stack.id(service), ...more });
}

export function applyPlan(
  stack: Stack,
  plan: OverridePlan,
  more: Partial<ApplyOptions> = {},
): Promise<AppliedOverride> {
  const journal = openJournal(stack.env, new Date().toISOString());
  return applyOverride(plan, { docker: stack.docker, env: stack.env, journal, stepsWithinS: 60, ...more });
}

/** The finding of the error that must come. */
export async function thrownBy(work: Promise<unknown>): Promise<ProfilerError['finding']> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ProfilerError) return error.finding;
    throw error;
  }
  throw new Error('nothing was thrown');
}
