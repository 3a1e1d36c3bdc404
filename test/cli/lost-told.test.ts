import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from './recording-folder.js';
import { FIXTURES, runJson, runProfiler } from './run-profiler.js';

/** Has lines whose counts cannot be read. */
const SOURCE = join(FIXTURES, 'pyspy-raw/12-count-forms.txt');

const { lost } = await runJson(['hot', SOURCE]);

describe('lines that could not be read', () => {
  const told = `Not counted: ${lost.lines} lines could not be read.`;

  it.each([
    ['export', '--to', 'folded', '-o', 'x'],
    ['view', '-o', 'x'],
    ['hot', '--folded'],
    ['hot', '--tsv'],
  ])('are told on standard error by %s %s %s', async (command, ...rest) => {
    const { code, out, err } = await runProfiler([command, SOURCE, ...rest], { cwd: emptyFolder() });
    expect(code).toBe(0);
    expect(err).toContain(`  ${told}\n    ${lost.examples[0]}\n`);
    expect(out).not.toContain(told);
  });

  it('are told in the summary and on the page of a report', async () => {
    const cwd = emptyFolder();
    expect((await runProfiler(['report', SOURCE, '--md'], { cwd })).out).toContain(`\n- ${told}\n`);
    await runProfiler(['report', SOURCE, '-o', 'x.html'], { cwd });
    expect(readFileSync(join(cwd, 'x.html'), 'utf8')).toContain(`>${told}<`);
  });

  it.each([
    ['export', '--to', 'folded', '-o', 'x'],
    ['report', '-o', 'x'],
  ])('are in the JSON of %s', async (command, ...rest) => {
    expect(await runJson([command, SOURCE, ...rest], { cwd: emptyFolder() })).toMatchObject({ lost });
  });

  it('are in the JSON of view, by source', async () => {
    const { sources } = await runJson(['view', SOURCE, '-o', 'x'], { cwd: emptyFolder() });
    expect(sources).toEqual([{ path: SOURCE, format: 'folded', lost }]);
  });
});
