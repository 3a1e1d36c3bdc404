import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect } from 'vitest';
import { ALL, describeWhere } from '../only-where.js';
import { PYSPY, ROOT, SIM_PYTHON, profiler, rover } from './demo-simulation.js';

/** The oldest that is supported runs the tests; the others come as the npm package `node`. */
const OTHER_NODES = ['22', '24'];

describeWhere(existsSync(SIM_PYTHON) && existsSync(PYSPY), 'no .cache/sim-venv: run scripts/test')(
  'the packed tarball',
  (test) => {
    let folder = '';
    let bin = '';
    let live: Awaited<ReturnType<typeof rover>>;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'profiler-package-'));
      const pack = await execa('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
        cwd: ROOT,
      });
      const [{ filename }] = JSON.parse(pack.stdout) as [{ filename: string }];
      writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
      // 0x, which is optional, has 250 packages of its own: a user may do without, and so does a test that is in a hurry.
      const optional = ALL ? [] : ['--omit=optional'];
      const args = ['install', '--no-audit', '--no-fund', ...optional, join(folder, filename)];
      await execa('npm', args, { cwd: folder });
      bin = join(folder, 'node_modules/sim-profiler/dist/cli/bin.js');
      live = await rover(['--pacing', 'realtime', '--hz', '200', '--busy', '0.3']);
    });
    afterAll(() => live?.stop());

    const works = async (node: string): Promise<void> => {
      const version = await profiler(['--version'], { cwd: folder, node, bin });
      expect(version).toMatchObject({ code: 0, out: '0.1.0' });
      const attach = await profiler(
        ['attach', '--pid', `${live.pid}`, '-d', '2', '--no-baseline', '--json'],
        { cwd: folder, node, bin },
      );
      expect({ code: attach.code, err: attach.err }).toMatchObject({ code: 0 });
      const hot = await profiler(['hot', '--top', '1', '--json'], { cwd: folder, node, bin });
      expect(JSON.parse(hot.out)).toMatchObject({ kind: 'hot', source: { format: 'recording' } });
    };

    test(`installs in an empty folder and runs on Node ${process.versions.node}`, () =>
      works(process.execPath));

    for (const major of OTHER_NODES) {
      const other = describeWhere(ALL, 'only with --all');
      other(`on Node ${major}`, (only) => {
        only('runs --version, attach and hot', async () => {
          const home = mkdtempSync(join(tmpdir(), `profiler-node-${major}-`));
          writeFileSync(join(home, 'package.json'), '{"private": true}\n');
          await execa('npm', ['install', '--no-audit', '--no-fund', `node@${major}`], { cwd: home });
          const node = join(home, 'node_modules/node/bin/node');
          expect((await execa(node, ['--version'])).stdout).toMatch(new RegExp(`^v${major}\\.`));
          await works(node);
        });
      });
    }
  },
);
