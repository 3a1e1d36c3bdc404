import { afterAll, beforeAll, expect } from 'vitest';
import { describeWhere } from '../only-where.js';
import { HAS_PTY, NO_PTY, inTerminal } from '../terminal/pty.js';
import { type Screen, screenOf } from '../terminal/screen.js';
import { emptyFolder } from '../cli/recording-folder.js';
import { BIN, PYSPY } from './demo-simulation.js';
import { HAS_PYSPY, HAS_PYTHON, NO_PYSPY, NO_PYTHON, liveTargets } from './live-targets.js';
import { type ReadableCopy, readableCopy } from './readable-copy.js';

let copy: ReadableCopy;
let pid = 0;
const targets = liveTargets(() => copy);

async function attached(columns: number, env: Readonly<Record<string, string>>): Promise<Screen> {
  const argv = [process.execPath, BIN, 'attach', '--pid', `${pid}`, '-d', '1', '--no-baseline', '-o', 'rec'];
  const terminal = { columns, cwd: emptyFolder(), env: { PROFILER_PY_SPY: PYSPY, ...env } };
  const { code, bytes } = await inTerminal(argv, terminal);
  expect(code).toBe(0);
  return screenOf(bytes, columns);
}

/** What is said before the answer begins. */
function talk({ lines }: Screen): readonly string[] {
  return lines.slice(
    0,
    lines.findIndex((line) => line.startsWith('  plain_loop') || line.startsWith('  rec ')),
  );
}

const POSSIBLE = HAS_PTY && HAS_PYSPY && HAS_PYTHON;
const WHY_NOT = HAS_PTY ? (HAS_PYSPY ? NO_PYTHON : NO_PYSPY) : NO_PTY;

describeWhere(POSSIBLE, WHY_NOT)('attach in a terminal', (test) => {
  beforeAll(async () => {
    copy = await readableCopy();
    pid = await targets.loop();
  });
  afterAll(async () => {
    await targets.stop();
  });

  for (const columns of [80, 200]) {
    test(`redraws one line at ${columns} columns, leaves it full, and prints the answer below`, async () => {
      const screen = await attached(columns, {});
      const [first, bar, ...more] = screen.lines;
      expect(first).toBe(`Sampling process ${pid} for 1 s; Ctrl-C ends early and keeps what there is.`);
      expect(bar).toMatch(/^ {2}█+ [01]\.\d s {3}\d+ samples$/);
      expect(bar?.match(/█/g)).toHaveLength(columns === 80 ? 22 : 30);
      expect(new Set(screen.moves)).toEqual(new Set(['\r', '\u001b[K']));
      expect(more.some((line) => line.includes('is busy'))).toBe(true);
      expect(more.at(-1)).toBe('  Next: profiler hot · profiler view · profiler report');
    });
  }

  for (const [where, env] of [
    ['on a dumb terminal', { TERM: 'dumb' }],
    ['in CI', { CI: 'true' }],
  ] as const) {
    test(`prints a line for each phase ${where}, and moves nothing`, async () => {
      const screen = await attached(80, env);
      expect(screen.moves).toEqual([]);
      expect(talk(screen)).toEqual([
        `Sampling process ${pid} for 1 s; Ctrl-C ends early and keeps what there is.`,
        '  measuring the loop before',
        '  sampling',
        '  writing the recording',
      ]);
    });
  }
});
