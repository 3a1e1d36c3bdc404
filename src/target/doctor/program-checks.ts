import { binaryChecksum, PYSPY_VERSION } from '../tools/release.js';
import { type Check, failing } from './check.js';
import type { ProgramFacts, ProgramsFacts, PySpyFacts } from './program-facts.js';

const SOURCES: Readonly<Record<string, string>> = {
  environment: 'named by PROFILER_PY_SPY',
  path: 'found in PATH',
  target: "from the target's Python",
  'tools-folder': 'from our tools folder',
};

/** What the samplers and their companions are worth here. */
export function samplerChecks(
  facts: Pick<ProgramsFacts, 'pyspy' | 'perf' | 'python3' | keyof typeof COMPANIONS>,
  arch: string,
): readonly Check[] {
  return [
    pyspyCheck(facts.pyspy, arch),
    pythonCheck(facts.python3),
    perfProgramCheck(facts.perf),
    ...companionChecks(facts),
  ];
}

export function pyspyCheck(facts: PySpyFacts, arch: string): Check {
  const check = { group: 'samplers', id: 'py-spy', name: 'py-spy' } as const;
  if (!facts.found) return failing(check, facts.finding);
  const { path, version, from } = facts.pyspy;
  const found = `${version} at ${path}, ${SOURCES[from] ?? from}`;
  const install = 'profiler tools install py-spy';
  if (!facts.isStatic)
    return {
      ...check,
      state: 'limited',
      what: `${found}; it needs libraries of this machine, so it may not run inside containers`,
      fix: install,
    };
  if (version !== PYSPY_VERSION)
    return {
      ...check,
      state: 'limited',
      what: `${found}; profiler is tested with ${PYSPY_VERSION}`,
      fix: install,
    };
  return binaryChecksum(arch) === facts.sha256
    ? { ...check, state: 'works', what: `${found}, checksum as published` }
    : {
        ...check,
        state: 'limited',
        what: `${found}; its checksum is not that of the published ${PYSPY_VERSION}`,
        fix: install,
      };
}

/** The machine's own Python keeps the sampler on the CPU of a loop that never sleeps; nothing else needs it. */
export function pythonCheck(facts: ProgramFacts): Check {
  const check = { group: 'samplers', id: 'python3', name: 'python3' } as const;
  if (facts.found)
    return {
      ...check,
      state: 'works',
      what: `${facts.version}: keeps the sampler on the CPU of a loop that never sleeps`,
    };
  return {
    ...check,
    state: 'limited',
    what: `${facts.because === 'missing' ? 'not found' : `does not run${told(facts.said)}`}: of a loop that never sleeps, more samples will be lost`,
    fix: 'apt-get install python3-minimal',
  };
}

/** Programs that some answer needs, each with what it is for and how to get it. */
const COMPANIONS = {
  node: {
    id: 'node',
    name: 'node',
    use: 'runs Node programs and bridges (`run --0x`)',
    fix: 'https://nodejs.org  (20 or later)',
  },
  zeroX: {
    id: '0x',
    name: '0x',
    use: 'its flame graph page of a Node program',
    fix: 'npm install -g 0x@6.0.0',
  },
  bpftrace: {
    id: 'bpftrace',
    name: 'bpftrace',
    use: 'traces of the kernel by hand; profiler itself has perf for them',
    fix: 'apt-get install bpftrace',
  },
  nsys: {
    id: 'nsys',
    name: 'nsys',
    use: 'what a GPU does (run --nsys)',
    fix: 'https://developer.nvidia.com/nsight-systems',
  },
  browser: {
    id: 'browser',
    name: 'browser',
    use: 'opens flame graph pages',
    fix: 'apt-get install chromium',
  },
} as const;

export function companionChecks(facts: Pick<ProgramsFacts, keyof typeof COMPANIONS>): readonly Check[] {
  return (Object.keys(COMPANIONS) as (keyof typeof COMPANIONS)[]).map((key): Check => {
    const { id, name, use, fix } = COMPANIONS[key];
    const check = { group: 'samplers', id, name } as const;
    const found = facts[key];
    if (found.found) return { ...check, state: 'works', what: `${found.version}: ${use}` };
    const why = found.because === 'missing' ? 'not found' : `does not run${told(found.said)}`;
    return { ...check, state: 'note', what: `${why}; needed for this only: ${use}`, fix };
  });
}

/** Only native code needs it. */
export function perfProgramCheck(facts: ProgramFacts): Check {
  const check = { group: 'samplers', id: 'perf', name: 'perf' } as const;
  if (facts.found) return { ...check, state: 'works', what: `${facts.version}: native code` };
  const needed = 'needed for native code only';
  return {
    ...check,
    state: 'note',
    what: facts.because === 'missing' ? `not found; ${needed}` : `does not run${told(facts.said)}; ${needed}`,
    fix: 'apt-get install linux-perf  (Debian; linux-tools-generic on Ubuntu)',
  };
}

/** Compose brings a service up again with an override; sampling a running one does not need it. */
export function composeCheck({
  docker,
  composeV2,
  composeV1,
}: Pick<ProgramsFacts, 'docker' | 'composeV2' | 'composeV1'>): Check {
  const check = { group: 'containers', id: 'compose', name: 'Compose' } as const;
  const versions = [composeV2, composeV1].flatMap((one) => (one.found ? [one.version] : []));
  if (versions.length > 0) return { ...check, state: 'works', what: versions.join(' and ') };
  const v2 = docker.found ? 'the docker command has no Compose plugin' : 'there is no docker command';
  const v1 =
    composeV1.found || composeV1.because === 'missing'
      ? ''
      : `; docker-compose does not run${told(composeV1.said)}`;
  return {
    ...check,
    state: 'note',
    what: `${v2}, and no docker-compose${v1}: running services can be sampled, but not given rights by an override`,
    fix: 'apt-get install docker-compose-plugin  (of Docker; docker-compose of Debian)',
  };
}

function told(said: string | undefined): string {
  return said === undefined ? '' : ` (${said})`;
}
