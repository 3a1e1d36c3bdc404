import { beforeAll, expect } from 'vitest';
import { describeWhere } from '../only-where.js';
import { HAS_PTY, NO_PTY, type Terminal, inTerminal } from '../terminal/pty.js';
import { type Screen, screenOf } from '../terminal/screen.js';
import { emptyFolder, writePacedRecording } from './recording-folder.js';
import { BIN, FIXTURES } from './run-profiler.js';

const FILE = `${FIXTURES}rules/husky-idle.raw`;

interface Shown extends Screen {
  readonly code: number | null;
}

async function shown(args: readonly string[], terminal: Terminal): Promise<Shown> {
  const { code, bytes } = await inTerminal([process.execPath, BIN, ...args], terminal);
  return { code, ...screenOf(bytes, terminal.columns) };
}

/** What is typed, by the name of the screen that it gives. */
const SCREENS: Readonly<Record<string, readonly string[]>> = {
  questions: [],
  hot: ['hot'],
  'hot-function': ['hot', '--by', 'function', '--top', '8'],
  buckets: ['buckets'],
  threads: ['threads'],
  tree: ['hot', '--tree'],
  'hot-file': ['hot', FILE, '--top', '8'],
  'tree-file': ['hot', FILE, '--tree', '--min', '5'],
  error: ['hot', 'nothing.raw'],
  usage: ['hot', '--tpo', '3'],
};
const CODES: Readonly<Record<string, number>> = { error: 1, usage: 2 };

describeWhere(HAS_PTY, NO_PTY)('in a real terminal', (test) => {
  let cwd = '';
  beforeAll(async () => {
    cwd = emptyFolder();
    await writePacedRecording(cwd, 'paced');
  });

  for (const columns of [80, 200]) {
    for (const [name, args] of Object.entries(SCREENS)) {
      test(`${name} is this screen at ${columns} columns, and moves nothing`, async () => {
        const { lines, moves, code } = await shown(args, { columns, cwd });
        expect([code, moves]).toEqual([CODES[name] ?? 0, []]);
        // The folder differs from run to run.
        const text = `${lines.join('\n')}\n`.replaceAll(FIXTURES, '').replaceAll(cwd, '.');
        await expect(text).toMatchFileSnapshot(`screens/${name}-${columns}.txt`);
      });
    }
  }

  test('is the same screen on a dumb terminal with another locale, but for blocks and colours', async () => {
    const dumb = { columns: 80, cwd, env: { TERM: 'dumb', LANG: 'C' } };
    for (const name of ['buckets', 'threads', 'tree']) {
      const { lines, moves, colours } = await shown(SCREENS[name] ?? [], dumb);
      expect([moves, colours]).toEqual([[], []]);
      // oxlint-disable-next-line no-irregular-whitespace -- blocks and branches
      expect(lines.join('\n')).not.toMatch(/[\u2500-\u259f]/);
      await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`screens/${name}-dumb.txt`);
    }
  });

  test('has colours on a terminal, none with NO_COLOR, and on a dumb one with FORCE_COLOR', async () => {
    const coloured: boolean[] = [];
    for (const env of [
      {},
      { TERM: 'dumb', FORCE_COLOR: '1' },
      { TERM: 'dumb' },
      { NO_COLOR: '1' },
      { NO_COLOR: '1', FORCE_COLOR: '1' },
    ])
      coloured.push((await shown(['buckets'], { columns: 80, cwd, env })).colours.length > 0);
    expect(coloured).toEqual([true, true, false, false, false]);
  });

  test('moves nothing with --help, and fits', async () => {
    for (const name of ['', 'attach', 'rules'])
      expect((await shown([...(name === '' ? [] : [name]), '--help'], { columns: 200, cwd })).moves).toEqual(
        [],
      );
  });
});
