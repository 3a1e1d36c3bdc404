import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect } from 'vitest';
import { PYSPY } from '../e2e/demo-simulation.js';
import { describeWhere } from '../only-where.js';
import { findPythons, type Started, start } from '../target/pythons.js';
import { emptyFolder } from './recording-folder.js';
import { runProfiler } from './run-profiler.js';

const WAITS = fileURLToPath(new URL('../e2e/programs/waits.py', import.meta.url));
const [python] = findPythons();

describeWhere(
  existsSync(PYSPY) && python !== undefined,
  'needs a Python, and py-spy in .cache/sim-venv: run scripts/test',
)('attach --thread with a name that nobody has', (it) => {
  let target: Started | undefined;
  afterEach(() => target?.stop());

  it('says where the recording is kept', async () => {
    target = await start(python?.path ?? '', [WAITS]);
    const cwd = emptyFolder();
    const { code, err } = await runProfiler(
      ['attach', '--pid', `${target.pid}`, '-d', '1', '--no-baseline', '--thread', 'NoSuch'],
      { cwd, env: { PROFILER_PY_SPY: PYSPY } },
    );
    expect(code).toBe(2);
    expect(err).toContain('profiler: No thread is called NoSuch.\n');
    const [, folder = ''] = /^The recording is kept in (recordings\/waits-\S+)\.$/m.exec(err) ?? [];
    expect(existsSync(join(cwd, folder, 'recording.json'))).toBe(true);
    expect((await runProfiler(['threads', folder], { cwd })).code).toBe(0);
  });
});
