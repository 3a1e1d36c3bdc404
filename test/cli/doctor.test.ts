import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupCommand } from '../../src/cli/cleanup.js';
import { doctorCommand } from '../../src/cli/doctor.js';
import type { Io } from '../../src/cli/io.js';
import { ProfilerError } from '../../src/model/index.js';
import { PYSPY } from '../e2e/demo-simulation.js';
import { whyNoSimulation } from '../docker/simulation-container.js';
import { itWhere } from '../only-where.js';
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
      'rights',
      'yama',
      'seccomp',
      'hidepid',
      'cgroups',
      'realtime',
      'perf-event-paranoid',
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
