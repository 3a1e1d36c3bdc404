import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/program.js';
import { ALL, describeWhere } from '../only-where.js';
import { HAS_PTY, inTerminal } from '../terminal/pty.js';
import { screenOf } from '../terminal/screen.js';
import { emptyFolder, writePacedRecording } from './recording-folder.js';
import { BIN, runProfiler } from './run-profiler.js';

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** scripts/test installs other shells than bash with --all alone. */
const otherShell = (missing: string): string => (ALL ? missing : 'only with --all');

/** Nothing may come of these but a word of the line. */
const HOSTILE_LABEL = `zz $(touch hacked) it's; touch hacked`;
const HOSTILE_FILE = 'yy `touch hacked` "a";b&c\'d$HOME.raw';

interface Place {
  /** A folder with recordings and files. */
  readonly cwd: string;
  /** Where `profiler` is found first: it tells its arguments, one a line, and completes as the real one does. */
  readonly env: Readonly<Record<string, string>>;
  readonly script: (shell: string) => string;
}

async function makePlace(): Promise<Place> {
  const cwd = emptyFolder();
  await writePacedRecording(cwd, 'demo-2026-11-29T14-02-11', { label: 'demo' });
  await writePacedRecording(cwd, 'other', { label: HOSTILE_LABEL });
  await writePacedRecording(cwd, 'steers', { label: 'zy\u001b[2J' });
  for (const file of ['demo.raw', HOSTILE_FILE, 'new\nline.raw']) writeFileSync(join(cwd, file), '');
  mkdirSync(join(cwd, 'bin'));
  const own = join(cwd, 'bin/profiler');
  writeFileSync(
    own,
    `#!/bin/sh\nif [ "$1" = completion ]; then exec '${process.execPath}' '${BIN}' "$@"; fi\nprintf '<%s>\\n' "$@"\n`,
  );
  chmodSync(own, 0o755);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, out } = await runProfiler(['completion', shell]);
    expect(code).toBe(0);
    writeFileSync(join(cwd, `bin/script.${shell}`), out);
  }
  return {
    cwd,
    env: { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`, HOME: cwd, ZDOTDIR: join(cwd, 'bin') },
    script: (shell) => join(cwd, `bin/script.${shell}`),
  };
}

let place: Place;
beforeAll(async () => {
  place = await makePlace();
});

function run(shell: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(shell, args, {
    cwd: place.cwd,
    env: { ...process.env, ...place.env, LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout;
}

/** What bash offers for the last of some words. */
function bashOffers(...words: readonly string[]): string[] {
  const body = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _profiler; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return run('bash', ['--norc', '-c', body, 'bash', place.script('bash'), 'profiler', ...words])
    .trim()
    .split('\n');
}

/** What fish offers for a line. */
function fishOffers(line: string): string[] {
  const out = run('fish', [
    '--no-config',
    '-c',
    `source $argv[1]; complete -C $argv[2]`,
    place.script('fish'),
    line,
  ]);
  return out
    .trim()
    .split('\n')
    .map((one) => one.split('\t')[0] ?? '');
}

/** The arguments that a command line gives once it was completed and sent: what a user of the shell would get. */
async function typedInto(
  shell: readonly string[],
  typed: readonly (readonly [string, string])[],
): Promise<string[]> {
  const { bytes } = await inTerminal(shell, {
    columns: 200,
    cwd: place.cwd,
    env: place.env,
    typed: [...typed, ['>\r\n', 'exit\r']],
  });
  return screenOf(bytes, Number.POSITIVE_INFINITY).lines.filter((line) => /^<.*>$/.test(line));
}

describe('completion', () => {
  it('says what is missing or unknown', async () => {
    expect(await runProfiler(['completion'])).toEqual({
      code: 2,
      out: '',
      err: "profiler: Missing required argument 'shell'.\n  -> profiler completion --help\n",
    });
    expect((await runProfiler(['completion', 'tcsh'])).err).toContain('Allowed choices are bash, zsh, fish.');
  });

  it('names recordings by label and folder, newest first, and none that would steer a terminal', async () => {
    const { out } = await runProfiler(['completion', '--sources'], { cwd: place.cwd });
    expect(out.trim().split('\n').toSorted()).toEqual(
      ['demo', 'demo-2026-11-29T14-02-11', HOSTILE_LABEL, 'other', 'steers'].toSorted(),
    );
    expect(await runProfiler(['completion', '--sources'], { cwd: emptyFolder() })).toEqual({
      code: 0,
      out: '',
      err: '',
    });
  });
});

describeWhere(has('bash'), 'no bash')('completion in bash', (test) => {
  test('offers commands, sub-commands, options and values', () => {
    expect(bashOffers('')).toEqual([...COMMANDS.map(({ name }) => name), 'help']);
    expect(bashOffers('ho')).toEqual(['hot']);
    expect(bashOffers('recordings', '')).toEqual(['list', 'show', 'prune']);
    expect(bashOffers('recordings', 'prune', '--ke')).toEqual(['--keep']);
    expect(bashOffers('hot', '--b')).toEqual(['--by', '--bucket']);
    expect(bashOffers('hot', '--by', 'f')).toEqual(['function', 'file']);
    expect(bashOffers('hot', '--by', '=', 'f')).toEqual(['function', 'file']);
    expect(bashOffers('hot', '--by', '=')).toContain('caller');
    expect(bashOffers('hot', '--bucket', 'ray')).toEqual(['raycast']);
    expect(bashOffers('attach', '--backend', 'p')).toEqual(['py-spy', 'perf', 'py-spy+perf']);
    expect(bashOffers('help', 'th')).toEqual(['threads']);
    expect(bashOffers('tools', 'install', '')).toEqual(['py-spy']);
    expect(bashOffers('hot', '--top', '')).toEqual(['']);
  });

  test('offers recordings and files where a source may stand, also after options with values', () => {
    expect(bashOffers('hot', 'demo')).toEqual(['demo.raw', 'demo', 'demo-2026-11-29T14-02-11']);
    expect(bashOffers('hot', '--top', '5', '--tree', "'demo-2")).toEqual(['demo-2026-11-29T14-02-11']);
    expect(bashOffers('recordings', 'show', '"demo-')).toEqual(['demo-2026-11-29T14-02-11']);
    expect(bashOffers('attach', '-o', 'rec')).toEqual(['recordings/']);
    expect(bashOffers('hot', '~/dem')[0]).toBe('~/demo.raw');
    expect(bashOffers('hot', '--rules', 'demo')).toEqual(['demo.raw']);
  });

  test('offers every source of view', () => {
    for (const before of [[], ['demo'], ['--rate', '100', 'demo', 'demo.raw']])
      expect(bashOffers('view', ...before, 'demo')).toEqual(['demo.raw', 'demo', 'demo-2026-11-29T14-02-11']);
  });

  test('leaves the line to the program that run starts', () => {
    expect(bashOffers('run', '-d', '5', '--', 'mkfif')).toContain('mkfifo');
    expect(bashOffers('run', '--', 'cat', 'demo')).toEqual(['demo.raw']);
    expect(bashOffers('run', 'cat', '--b')).toEqual(['']);
  });

  test('evaluates nothing of what is typed or found', () => {
    for (const word of [
      '$(touch hacked)',
      '`touch hacked`',
      '"$(touch hacked)',
      "'; touch hacked",
      'y',
      'z',
      '',
    ])
      bashOffers('hot', word);
    expect(existsSync(join(place.cwd, 'hacked'))).toBe(false);
  });
});

const BASH = ['bash', '--noprofile', '--rcfile', 'bin/rc.bash', '-i'];
const ZSH = ['zsh', '-d', '-i'];
const FISH = [
  'fish',
  '--no-config',
  '-C',
  'source bin/script.fish; function fish_prompt; echo -n READY; end',
];

describeWhere(has('bash') && HAS_PTY, 'no bash, or no python3')('keys pressed in bash', (test) => {
  test('complete hostile names to one word each', async () => {
    writeFileSync(
      join(place.cwd, 'bin/rc.bash'),
      `bind 'set enable-bracketed-paste off'\nsource bin/script.bash\nPS1=READY\n`,
    );
    for (const name of [HOSTILE_LABEL, HOSTILE_FILE]) {
      for (const quote of ['', '"', "'"]) {
        const keys = `profiler hot --by=cal\t ${quote}${name.slice(0, 2)}\t\r`;
        expect(await typedInto(BASH, [['READY', keys]])).toEqual(['<hot>', '<--by=caller>', `<${name}>`]);
      }
    }
    expect(existsSync(join(place.cwd, 'hacked'))).toBe(false);
  });
});

describeWhere(ALL && has('zsh') && HAS_PTY, otherShell('no zsh, or no python3'))(
  'keys pressed in zsh',
  (test) => {
    test('complete commands, values and hostile names to one word each', async () => {
      writeFileSync(
        join(place.cwd, 'bin/.zshrc'),
        'autoload -Uz compinit && compinit -u -D\nunsetopt prompt_sp\nsource bin/script.zsh\nPS1=READY\n',
      );
      expect(await typedInto(ZSH, [['READY', 'profiler thre\t --j\t zz\t\r']])).toEqual([
        '<threads>',
        '<--json>',
        `<${HOSTILE_LABEL}>`,
      ]);
      expect(await typedInto(ZSH, [['READY', 'profiler recordings sho\t zz\t\r']])).toEqual([
        '<recordings>',
        '<show>',
        `<${HOSTILE_LABEL}>`,
      ]);
      expect(await typedInto(ZSH, [['READY', 'profiler hot --by cal\t --top 5 yy\t\r']])).toEqual([
        '<hot>',
        '<--by>',
        '<caller>',
        '<--top>',
        '<5>',
        `<${HOSTILE_FILE}>`,
      ]);
      expect(await typedInto(ZSH, [['READY', 'profiler view zz\t --json yy\t oth\t\r']])).toEqual([
        '<view>',
        `<${HOSTILE_LABEL}>`,
        '<--json>',
        `<${HOSTILE_FILE}>`,
        '<other>',
      ]);
      expect(existsSync(join(place.cwd, 'hacked'))).toBe(false);
    });
  },
);

describeWhere(ALL && has('fish'), otherShell('no fish'))('completion in fish', (test) => {
  test('offers commands, sub-commands, options and values', () => {
    expect(fishOffers('profiler ').toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
    expect(fishOffers('profiler recordings ').toSorted()).toEqual(['list', 'prune', 'show']);
    expect(fishOffers('profiler hot --b')).toEqual(['--bucket', '--by']);
    expect(fishOffers('profiler hot --by f')).toEqual(['file', 'function']);
    expect(fishOffers('profiler attach --backend p').toSorted()).toEqual(['perf', 'py-spy', 'py-spy+perf']);
    expect(fishOffers('profiler hot --top 5 zz')).toEqual([expect.stringMatching(/^zz/)]);
    expect(fishOffers('profiler hot demo').toSorted()).toEqual([
      'demo',
      'demo-2026-11-29T14-02-11',
      'demo.raw',
    ]);
    expect(fishOffers('profiler view oth')).toEqual(['other']);
    expect(fishOffers('profiler view zz demo --json oth')).toEqual(['other']);
    expect(fishOffers('profiler run -d 5 -- cat demo')).toEqual(['demo.raw']);
    expect(fishOffers('profiler run -- mkfif')).toContain('mkfifo');
    expect(existsSync(join(place.cwd, 'hacked'))).toBe(false);
  });
});

describeWhere(ALL && has('fish') && HAS_PTY, otherShell('no fish, or no python3'))(
  'keys pressed in fish',
  (test) => {
    test('complete hostile names to one word each', async () => {
      expect(await typedInto(FISH, [['READY', 'profiler hot zz\t\r']])).toEqual([
        '<hot>',
        `<${HOSTILE_LABEL}>`,
      ]);
      expect(existsSync(join(place.cwd, 'hacked'))).toBe(false);
    });
  },
);
