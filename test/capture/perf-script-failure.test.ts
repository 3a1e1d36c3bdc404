import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { record } from '../../src/capture/index.js';
import { scriptFailure } from '../../src/capture/perf-script-failure.js';
import { ProfilerError } from '../../src/model/index.js';
import { findTarget, openJournal, perfRoute } from '../../src/target/index.js';
import { removeUnrecorded } from '../../src/cli/recording-place.js';
import { describeWhere } from '../only-where.js';
import { emptyFolder, path, requestFor, start, stateSampler } from './live.js';

const script = (file: string): readonly string[] => ['/usr/bin/perf', 'script', '--no-inline', '-i', file];

it('a perf script that failed for another reason is told in its own words', () => {
  expect(scriptFailure(script, '/r/slices/000.perf.data', 'no\n room (SIGKILL)').finding).toEqual({
    level: 'blocker',
    id: 'perf-script-failed',
    what: 'perf recorded, but perf script failed; what it recorded is kept in /r/slices/000.perf.data.',
    why: 'Its own words: no room (SIGKILL). Most likely the perf that prints is of another version than the one that recorded: record and script have to be by the same perf.',
    fix: '/usr/bin/perf script -i /r/slices/000.perf.data  (or that of the perf that recorded)',
  });
});

describeWhere(process.platform === 'linux', 'needs /proc')(
  'a perf that cannot print what it recorded',
  (test) => {
    test('is no target that slept: its words are told, and what it recorded stays', async () => {
      const live = await start('paced.py');
      try {
        const target = findTarget({ pid: live.pid, selfPid: process.pid });
        const journal = openJournal({ XDG_STATE_HOME: emptyFolder() }, new Date().toISOString());
        const perf = { path: path('unprintable-perf.sh'), version: '6.1' };
        const { route, mode, script: print } = perfRoute({ target, perf, journal });
        const request = requestFor(live.pid, {
          sampler: perf,
          route,
          perf: { mode, script: print },
          durationS: 1,
        });
        const { folder } = request;
        const error: unknown = await record(request, {
          signal: new AbortController().signal,
          stateSampler: stateSampler(),
          onEvent: () => undefined,
        }).catch((cause: unknown) => cause);
        if (!(error instanceof ProfilerError)) throw new Error(`not a ProfilerError: ${String(error)}`);
        const data = `${folder}/slices/000.perf.data`;
        expect(error.finding).toEqual({
          level: 'blocker',
          id: 'perf-script-failed',
          what: `perf recorded, but perf script failed; what it recorded is kept in ${data}.`,
          why: 'Its own words: file uses a more recent and unsupported ABI (8 bytes extra) incompatible file format (rerun with -v to learn more) (255). The perf that prints is of another version than the one that recorded: record and script have to be by the same perf.',
          fix: `${perf.path} script -i ${data}  (or that of the perf that recorded)`,
        });
        await removeUnrecorded(folder);
        expect(readdirSync(`${folder}/slices`).sort()).toEqual(['000.log', '000.perf.data']);
      } finally {
        await live.stop();
      }
    });
  },
);
