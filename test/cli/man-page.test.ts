import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { manPage, roffText } from '../../src/cli/man-page.js';
import { ownManPage } from '../../src/cli/own-man-page.js';
import { COMMANDS } from '../../src/cli/program.js';
import { describeWhere } from '../only-where.js';

const PAGE = fileURLToPath(new URL('../../man/profiler.1', import.meta.url));

/** A page as a terminal of 80 columns shows it, without its overstrikes; and what the formatter complained of. */
function rendered(roff: string): { readonly text: string; readonly complaints: string } {
  const groff = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-rLL=80n'], { input: roff, encoding: 'utf8' });
  // oxlint-disable-next-line no-control-regex -- weight, by colours or by printing twice
  return { text: groff.stdout.replaceAll(/\u001b\[[\d;]*m|.\u0008+/gu, ''), complaints: groff.stderr };
}

describe('man/profiler.1', () => {
  it('is what the commands say now; else: npm run man', async () => {
    expect(await ownManPage()).toBe(readFileSync(PAGE, 'utf8'));
  });

  it('is ASCII alone, and the same for whoever makes it', () => {
    const page = readFileSync(PAGE, 'utf8');
    expect(page).toMatch(/^[\u0020-\u007e\n]*$/);
    expect(page).not.toContain('/root');
  });
});

const HAS_GROFF = spawnSync('groff', ['--version']).status === 0;

describeWhere(HAS_GROFF, 'no groff')('the man page', (test) => {
  test('renders without a warning, with every command, option and example', () => {
    const { text, complaints } = rendered(readFileSync(PAGE, 'utf8'));
    expect(complaints).toBe('');
    for (const { name } of COMMANDS) expect(text).toMatch(new RegExp(`^ {3}profiler ${name}`, 'm'));
    for (const shown of [
      '--bucket <bucket>',
      '-d, --duration <seconds>',
      '-h, --help',
      "profiler rules explain 'main (a.py:3);publish (rclpy/publisher.py:70)'",
      'profiler recordings prune [options]',
      'NO_COLOR',
      '130',
    ])
      expect(text).toContain(shown);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('shows hostile text as it is', () => {
    const nasty = ['.so /etc/passwd', "'br", '\\fBbold\\fR \\n(.z', '-- ~^`\'"', 'naïve … 日本'];
    for (const text of nasty) {
      const program = new Command('profiler').description('d');
      program.command('x').description(text).option('--flag', text);
      const page = manPage({ version: '1', program, makeHelp: () => '', questions: [['q', [[text, text]]]] });
      const shown = rendered(page);
      expect(shown.complaints).toBe('');
      expect(shown.text.split(text).length - 1).toBeGreaterThanOrEqual(4);
    }
    expect(roffText('.so x\n.br')).not.toContain('\n');
  });
});
