import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { asciiFor, colorFor, widthFor } from '../../src/cli/io.js';
import { COMMANDS, QUESTIONS, wholeProgram } from '../../src/cli/program.js';
import { runProfiler } from './run-profiler.js';
import { userWith } from './user.js';

const TURTLE = 'rules/turtle-idle.raw';

describe('profiler', () => {
  it('prints its version', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    for (const flag of ['--version', '-V']) {
      expect(await runProfiler([flag])).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
    }
  });

  it('names every command when bare, and in --help', async () => {
    for (const args of [[], ['--help']]) {
      const { code, out } = await runProfiler(args);
      expect(code).toBe(0);
      for (const { name } of COMMANDS) expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    }
  });

  it('asks what people ask when bare, within 80 columns', async () => {
    const { out } = await runProfiler([]);
    for (const topic of ['loads slowly', 'plugin slows the step', 'real-time factor', 'stutters', 'GPU'])
      expect(out).toContain(topic);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it.each(QUESTIONS.flatMap(([, questions]) => questions))(
    '%s answers a line that can be typed',
    async (_, line) => {
      const program = await wholeProgram(userWith({ env: {}, cwd: '/' }).io);
      const [self, name = '', ...rest] = line.replace('PID', '1').replaceAll("'", '').split(' ');
      expect(self).toBe('profiler');
      const command = program.commands.find((one) => one.name() === name);
      expect(command?.parseOptions(rest)).toMatchObject({
        unknown: line.startsWith('profiler rules') ? ['STACK'] : [],
      });
    },
  );

  it('lists the questions after -- too, and knows no help of what is not there', async () => {
    expect(await runProfiler(['--'])).toEqual(await runProfiler([]));
    expect(await runProfiler(['help', 'nope'])).toEqual({
      code: 2,
      out: '',
      err: "profiler: Unknown command 'nope'.\n  -> profiler --help\n",
    });
  });

  it.each(COMMANDS.map((entry) => entry.name))('has --help with examples for %s', async (name) => {
    const { code, out, err } = await runProfiler([name, '--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`Usage: profiler ${name}`);
    expect(out).toMatch(/Examples?:/);
  });

  it.each([
    [['hto'], "Unknown command 'hto'. Did you mean hot?", 'profiler --help'],
    [
      ['hot', '--tpo', '3'],
      "Unknown option '--tpo'. Did you mean one of --to, --top?",
      'profiler hot --help',
    ],
    [
      ['hot', '--top', '0'],
      "Option '--top <n>' argument '0' is invalid. It must be a whole number from 1.",
      'profiler hot --help',
    ],
    [
      ['hot', 'a', 'b'],
      "Too many arguments for 'hot'. Expected 1 argument but got 2.",
      'profiler hot --help',
    ],
    [['export'], "Required option '--to <format>' not specified.", 'profiler export --help'],
    [['--nope'], "Unknown option '--nope'.", 'profiler --help'],
  ])(
    '%j is wrong usage: exit code 2, one sentence, nothing on standard output',
    async (args, sentence, fix) => {
      expect(await runProfiler(args)).toEqual({
        code: 2,
        out: '',
        err: `profiler: ${sentence}\n  -> ${fix}\n`,
      });
    },
  );

  it('tells errors as JSON too when asked, with the same exit code', async () => {
    const { code, out, err } = await runProfiler(['hot', 'nothing.raw', '--json']);
    expect(code).toBe(1);
    expect(err).toContain('profiler: There is no file');
    expect(JSON.parse(out)).toMatchObject({
      schema: 'sim-profiler/v1',
      kind: 'error',
      findings: [{ level: 'blocker', id: 'no-such-source' }],
    });
  });

  it('names the threads there are when one is asked for that is not', async () => {
    const { code, err } = await runProfiler(['hot', TURTLE, '--thread', 'nope']);
    expect([code, err]).toEqual([
      2,
      'profiler: No thread is called nope.\n  There are: MainThread.\n  -> profiler threads\n',
    ]);
  });

  it.each([['--version'], ['hot', TURTLE], ['hot', TURTLE, '--folded'], ['buckets', TURTLE, '--json']])(
    'takes a closed pipe for success: %s',
    async (...args) => {
      const { code, err } = await runProfiler(args, { closeOut: true });
      expect([code, err]).toEqual([0, '']);
    },
  );

  it('keeps the exit code of an error whose JSON nobody reads', async () => {
    expect((await runProfiler(['hot', 'nothing.raw', '--json'], { closeOut: true })).code).toBe(1);
  });
});

describe('export', () => {
  it('writes folded text and JSON to standard output', async () => {
    const folded = await runProfiler(['export', TURTLE, '--to', 'folded', '-o', '-']);
    expect(folded.out).toBe((await runProfiler(['hot', TURTLE, '--folded'])).out);
    const json = JSON.parse((await runProfiler(['export', TURTLE, '--to', 'json', '-o', '-'])).out);
    expect([json.schema, json.kind, json.unit]).toEqual(['sim-profiler/v1', 'profile', 'samples']);
    expect(json.samples.reduce((sum: number, [, , weight]: number[]) => sum + weight!, 0)).toBe(796);
    expect(
      json.stacks.every(([parent, frame]: number[], row: number) => parent! < row && json.frames[frame!]),
    ).toBe(true);
  });

  it('says why a file cannot be written', async () => {
    const { code, err } = await runProfiler(['export', TURTLE, '--to', 'json', '-o', 'no/such/folder/x']);
    expect(code).toBe(1);
    expect(err).toContain('profiler: no/such/folder/x could not be written (ENOENT).');
  });
});

describe('the terminal', () => {
  it('has colour only where it is one and NO_COLOR does not say otherwise', () => {
    expect(colorFor({ isTTY: true }, {})).toBe(true);
    expect(colorFor({ isTTY: true }, { NO_COLOR: '' })).toBe(true);
    expect(colorFor({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
    expect(colorFor({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
    expect(colorFor({}, {})).toBe(false);
  });

  it('has colour anywhere with FORCE_COLOR, whatever it says, but never with NO_COLOR', () => {
    for (const forced of ['1', '0', 'false']) expect(colorFor({}, { FORCE_COLOR: forced })).toBe(true);
    expect(colorFor({}, { FORCE_COLOR: '' })).toBe(false);
    expect(colorFor({ isTTY: true }, { FORCE_COLOR: '1', TERM: 'dumb' })).toBe(true);
    expect(colorFor({ isTTY: true }, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
    expect(colorFor({}, { FORCE_COLOR: '1', NO_COLOR: '' })).toBe(true);
  });

  it('shows bars in ASCII where the locale is none of UTF-8 or its font has no blocks', () => {
    expect(asciiFor({ LANG: 'en_US.UTF-8' })).toBe(false);
    expect(asciiFor({ LANG: 'C', LC_ALL: 'de_DE.utf8' })).toBe(false);
    expect(asciiFor({ LANG: 'C.UTF-8', LC_CTYPE: 'de_DE.ISO-8859-1' })).toBe(true);
    expect(asciiFor({ LANG: 'C.UTF-8', LC_ALL: '' })).toBe(false);
    expect(asciiFor({ LANG: 'C.UTF-8', LC_ALL: 'POSIX' })).toBe(true);
    expect(asciiFor({})).toBe(true);
    for (const TERM of ['dumb', 'linux']) expect(asciiFor({ LANG: 'C.UTF-8', TERM })).toBe(true);
  });

  it('is told nothing by Node where both NO_COLOR and FORCE_COLOR are set', async () => {
    const env = { NO_COLOR: '1', FORCE_COLOR: '1' };
    const { err, out } = await runProfiler(['tools', 'list', '--help'], { env });
    expect([err, out.includes('\u001b')]).toEqual(['', false]);
  });

  it('is as wide as it says, within reason; anything else has 80 columns', () => {
    expect(widthFor({ isTTY: true, columns: 132 })).toBe(132);
    expect(widthFor({ isTTY: true, columns: 10 })).toBe(40);
    expect(widthFor({ isTTY: true, columns: 1000 })).toBe(200);
    expect(widthFor({ isTTY: true, columns: 0 })).toBe(80);
    expect(widthFor({ columns: 132 })).toBe(80);
  });
});
