import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupCommand } from '../../src/cli/cleanup.js';
import { doctorCommand } from '../../src/cli/doctor.js';
import type { Io } from '../../src/cli/io.js';
import { ProfilerError } from '../../src/model/index.js';
import { PYSPY } from '../e2e/demo-simulation.js';
import { whyNoSimulation } from '../docker/simulation-container.js';
import { itWhere } from '../only-where.js';
import { fakeEngine } from '../target/docker/fake-engine.js';
import { scratch } from '../target/scratch.js';
import { type Said, userWith } from './user.js';

/** A user's terminal without any engine, and without anything of this machine's user. */
function user(input?: string): { readonly io: Io; readonly said: Said; readonly home: string } {
  const home = scratch();
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    DOCKER_HOST: `unix://${join(home, 'none.sock')}`,
    PROFILER_PY_SPY: PYSPY,
  };
  return { ...userWith({ env, cwd: home, ...(input === undefined ? {} : { input }) }), home };
}

/** The same with an engine that has one container. */
async function userWithContainer(Status: string): Promise<{ readonly io: Io; readonly said: Said }> {
  const Id = 'c'.repeat(64);
  const State = { Status, Pid: 0, StartedAt: '', ExitCode: 1, FinishedAt: '', OOMKilled: false, Error: '' };
  const socket = await fakeEngine({
    'GET /version': { Version: '24.0.7', ApiVersion: '1.43' },
    'GET /containers/json': [{ Id, Names: ['/bridge'], State: Status }],
    [`GET /containers/${Id}/json`]: {
      Id,
      Name: '/bridge',
      State,
      HostConfig: {},
      Config: {},
      RestartCount: 0,
    },
  });
  const { io, said } = user();
  return { io: { ...io, env: { ...io.env, DOCKER_HOST: `unix://${socket}` } }, said };
}

const json = ({ out }: Said) => JSON.parse(out);

describe('doctor', () => {
  it('answers without any container engine', async () => {
    const { io, said } = user();
    await doctorCommand(io).parseAsync(['--json'], { from: 'user' });
    const { schema, kind, checks, findings } = json(said);
    expect([schema, kind, findings, said.code]).toEqual(['sim-profiler/v1', 'doctor', [], 0]);
    const ids = checks.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([
      'engine',
      'compose',
      'py-spy',
      'python3',
      'perf',
      'node',
      '0x',
      'bpftrace',
      'nsys',
      'browser',
      'rights',
      'yama',
      'seccomp',
      'hidepid',
      'cgroups',
      'realtime',
      'perf-event-paranoid',
      'step-probe',
    ]);
    expect(checks[0]).toMatchObject({
      state: 'note',
      what: expect.stringMatching(/^No container engine answers at unix:.*none\.sock.*--pid and --match\.$/),
    });
  });

  it('says that the named process cannot be found', async () => {
    const { io } = user();
    const asked = doctorCommand(io).parseAsync(['--pid', '4194305'], { from: 'user' });
    await expect(asked).rejects.toMatchObject({
      constructor: ProfilerError,
      exitCode: 1,
      finding: { id: 'no-such-pid' },
    });
  });

  it('answers about a container that is there and does not run', async () => {
    for (const [Status, line] of [
      ['paused', 'docker unpause bridge'],
      ['exited', 'docker logs --tail 20 bridge'],
    ]) {
      const { io, said } = await userWithContainer(String(Status));
      await doctorCommand(io).parseAsync(['--container', 'bridge', '--json'], { from: 'user' });
      const { checks } = json(said);
      expect([said.code, checks[0]]).toEqual([
        0,
        expect.objectContaining({ group: 'target', id: 'target', state: 'fails', fix: line }),
      ]);
      expect(checks.map(({ id }: { id: string }) => id)).toContain('yama');
    }
  });

  it('says that there is no such container, or none was named', async () => {
    const { io } = await userWithContainer('paused');
    for (const [name, id, exitCode] of [
      ['brigde', 'no-such-container', 1],
      ['', 'target-flags', 2],
    ] as const)
      await expect(
        doctorCommand(io).parseAsync(['--container', name], { from: 'user' }),
      ).rejects.toMatchObject({ exitCode, finding: { id } });
  });

  itWhere(whyNoSimulation === undefined, whyNoSimulation ?? '')(
    'tries the way to a process, and says why a program that is no Python cannot be read',
    async () => {
      const { io, said } = user();
      await doctorCommand(io).parseAsync(['--pid', String(process.pid), '--json'], { from: 'user' });
      const { checks } = json(said);
      const about = checks.filter(
        ({ group }: { group: string }) => group === 'routes' || group === 'backends',
      );
      expect(about).toMatchObject([
        { id: 'route-direct', state: 'fails' },
        { id: 'backend-py-spy', state: 'fails', what: expect.stringContaining('is not a Python process') },
        // This very process: whether the test runner lets its inspector be opened is its own affair.
        { id: 'backend-node', what: expect.stringMatching(/inspector|SIGUSR1/) },
        // Where there is a perf, it says whether it may measure.
        ...about.slice(3).map(() => ({ id: 'backend-perf' })),
      ]);
    },
  );

  it('names what earlier runs left', async () => {
    const { io, said, home } = user();
    leaveOverride(home);
    await doctorCommand(io).parseAsync([], { from: 'user' });
    expect(said.out).toMatch(/Earlier runs\n {2}limits {2}leftovers .*a run ended without/);
  });
});

/** Of a profiler that has ended, on an engine that does not answer. */
function leaveOverride(home: string): string {
  const folder = join(home, 'state/sim-profiler/journal');
  mkdirSync(folder, { recursive: true });
  const undo = {
    engine: `unix://${join(home, 'none.sock')}`,
    project: 'demo',
    service: 'bridge',
    folder: join(home, 'sim-profiler-override-00000000'),
    capabilities: ['SYS_PTRACE'],
    before: [],
    settled: true,
    cwd: '/',
    restore: ['false'],
    environment: {},
    unset: [],
  };
  const owner = { pid: 1, startTicks: 987_654_321 };
  const traces = [{ kind: 'override', undo }];
  writeFileSync(join(folder, 'a.json'), JSON.stringify({ owner, createdAt: '2026-01-01T00:00:00Z', traces }));
  return folder;
}

describe('cleanup', () => {
  const QUESTION =
    'Restore service bridge of project demo? Its container is made anew, so the simulation in it starts anew. [y/N] ';

  it('says that there is nothing to do', async () => {
    const { io, said } = user();
    await cleanupCommand(io).parseAsync([], { from: 'user' });
    expect([said.out.split('\n')[0], said.code]).toEqual(['Nothing is left of earlier runs.', 0]);
  });

  it.each([
    [
      'without a terminal',
      undefined,
      [],
      '',
      /left {7}override of service bridge in project demo: nobody agreed to it\n {4}-> profiler cleanup --yes\n/,
    ],
    ['for a no', 'n\n', [], QUESTION, /nobody agreed/],
    ['for a yes', 'y\n', [], QUESTION, /left {7}override .*does not\s+answer/],
    ['with --yes', undefined, ['--yes'], '', /left {7}override .*does not\s+answer/],
  ] as const)('asks before a service is made anew: %s', async (_name, input, flags, asked, told) => {
    const { io, said, home } = user(input);
    leaveOverride(home);
    await cleanupCommand(io).parseAsync([...flags], { from: 'user' });
    expect([said.err, said.code]).toEqual([asked, 1]);
    expect(said.out).toMatch(told);
  });

  it('removes what views wrote more than a day ago, and nothing else there', async () => {
    const { io, said, home } = user();
    const folder = join(home, '.cache/sim-profiler/view');
    mkdirSync(folder, { recursive: true });
    const old = ['a.speedscope.json', 'a.firefox.json', 'a.trace.json.77.part'];
    const stay = ['new.speedscope.json', 'notes.json'];
    for (const name of [...old, ...stay]) writeFileSync(join(folder, name), 'x'.repeat(100_000));
    const longAgo = Date.now() / 1000 - 25 * 60 * 60;
    for (const name of [...old, 'notes.json']) utimesSync(join(folder, name), longAgo, longAgo);
    const what = `3 files of profiler view in ${folder}, older than a day (0.3 MB)`;
    await cleanupCommand(io).parseAsync(['--dry-run'], { from: 'user' });
    expect(said.out).toContain(`would be removed ${what}\n`);
    expect(readdirSync(folder)).toHaveLength(5);
    said.out = '';
    await cleanupCommand(io).parseAsync([], { from: 'user' });
    expect([said.out.split('\n')[0], said.code]).toEqual([`removed    ${what}`, 0]);
    expect(readdirSync(folder).sort()).toEqual(stay);
  });

  it('changes nothing with --dry-run, and says what it would do', async () => {
    const { io, said, home } = user();
    leaveOverride(home);
    await cleanupCommand(io).parseAsync(['--dry-run', '--json'], { from: 'user' });
    expect([said.code, json(said)]).toEqual([
      0,
      expect.objectContaining({
        schema: 'sim-profiler/v1',
        kind: 'cleanup',
        dryRun: true,
        inUse: 0,
        items: [
          {
            kind: 'override',
            what: 'override of service bridge in project demo',
            verb: 'restored',
            state: 'planned',
          },
        ],
      }),
    ]);
  });
});
