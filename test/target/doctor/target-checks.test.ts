import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/model/index.js';
import type { Check } from '../../../src/target/doctor/check.js';
import { routeCheck, unaskedChecks } from '../../../src/target/doctor/route-checks.js';
import { pyspyBackendCheck, targetCheck } from '../../../src/target/doctor/target-checks.js';
import type { Target } from '../../../src/target/index.js';

const FINDING: Finding = {
  level: 'warning',
  id: 'x',
  what: 'It eats the quota.',
  why: 'It runs inside.',
  fix: 'raise it',
};

function route(name: string, state: Check['state']): Check {
  return { group: 'routes', id: name, name, state, what: '', fix: `go ${name}` };
}

describe('a route', () => {
  it.each([
    [
      'works',
      { id: 'nsenter', works: true, findings: [], left: [] },
      'works',
      "inside its namespaces, from this machine's root",
      'profiler attach --container b --via nsenter',
    ],
    [
      'works, with a note',
      { id: 'nsenter', works: true, findings: [{ ...FINDING, level: 'note' }], left: [] },
      'works',
      "inside its namespaces, from this machine's root",
      'profiler attach --container b --via nsenter',
    ],
    [
      'works with a limit',
      { id: 'exec', works: true, findings: [FINDING], left: [] },
      'limited',
      "inside its container, as the target's own user. It eats the quota. It runs inside.",
      'raise it',
    ],
    [
      'leaves something',
      { id: 'exec', works: true, findings: [], left: [FINDING] },
      'limited',
      "inside its container, as the target's own user. It eats the quota. It runs inside.",
      'raise it',
    ],
    [
      'is closed',
      { id: 'sidecar', works: false, finding: FINDING },
      'fails',
      'It eats the quota. It runs inside.',
      'raise it',
    ],
  ] as const)('%s', (_name, facts, state, what, fix) => {
    expect(routeCheck(facts, '--container b')).toEqual({
      group: 'routes',
      id: `route-${facts.id}`,
      name: facts.id,
      state,
      what,
      fix,
    });
  });

  it('is named but not tried where it recreates the container', () => {
    expect(unaskedChecks(undefined, '--pid 1')).toEqual([]);
    expect(unaskedChecks('bridge', '--service b')).toMatchObject([
      { state: 'note', fix: 'profiler attach --service b --via privileged' },
      { state: 'note', fix: 'profiler override --container bridge  (shows what it would do)' },
    ]);
  });
});

describe('the target', () => {
  const target: Target = {
    pid: 48_211,
    nsPid: 27,
    startTicks: 1,
    command: ['python3', 'run.py'],
    runtime: 'python',
    runtimeVersion: '3.11.7',
    uid: 1000,
    gid: 1000,
    passedOver: [],
  };

  it('is named by both its numbers', () => {
    expect(targetCheck(target, undefined).what).toBe(
      'pid 48211, 27 inside: python3 run.py (python 3.11.7, user 1000:1000)',
    );
  });

  it.each([
    [
      'the first route that leads there, as attach chooses',
      [route('nsenter', 'fails'), route('sidecar', 'limited'), route('exec', 'works')],
      'limited',
      'go sidecar',
    ],
    ['else the next', [route('nsenter', 'fails'), route('sidecar', 'works')], 'works', 'go sidecar'],
    ['else none', [route('nsenter', 'fails')], 'fails', undefined],
  ] as const)('is read by %s', (_name, routes, state, fix) => {
    const check = pyspyBackendCheck(undefined, routes);
    expect([check.state, check.fix]).toEqual([state, fix]);
  });

  it('is not read where its Python is not known', () => {
    expect(pyspyBackendCheck(FINDING, [route('nsenter', 'works')])).toMatchObject({
      state: 'fails',
      fix: 'raise it',
    });
  });
});
