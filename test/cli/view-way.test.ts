import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { browsersIn } from '../../src/cli/open-browser.js';
import { viewFileName, viewFolder } from '../../src/cli/view-files.js';
import { tunnelLine, viewWay } from '../../src/cli/view-way.js';

type Env = Record<string, string>;

afterEach(() => void vi.unstubAllEnvs());

const way = (env: Env, isTerminal: boolean, platform: NodeJS.Platform = 'linux', opens = true): string => {
  const found = viewWay({ env, platform, isTerminal, hostname: 'robot' }, opens);
  if (found.kind === 'write') return 'write';
  const words = [found.opens && 'opens', found.leaves && 'leaves', found.overSsh && 'ssh'];
  return ['serve', ...words.filter((word) => word !== false)].join(' ');
};

describe('how a view is shown', () => {
  const SSH = { SSH_CONNECTION: '1.2.3.4 5 6.7.8.9 22' };
  it.each<[string, Env, NodeJS.Platform, string, string]>([
    ['no display', {}, 'linux', 'serve', 'write'],
    ['an empty display', { DISPLAY: '' }, 'linux', 'serve', 'write'],
    ['X', { DISPLAY: ':0' }, 'linux', 'serve opens', 'serve opens leaves'],
    ['Wayland', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux', 'serve opens', 'serve opens leaves'],
    ['WSL', { WSL_DISTRO_NAME: 'Debian' }, 'linux', 'serve opens', 'serve opens leaves'],
    ['macOS', {}, 'darwin', 'serve opens', 'serve opens leaves'],
    ['SSH', SSH, 'linux', 'serve ssh', 'write'],
    ['SSH with X forwarded', { ...SSH, DISPLAY: ':10' }, 'linux', 'serve ssh', 'write'],
    ['SSH to macOS', { SSH_TTY: '/dev/ttys1' }, 'darwin', 'serve ssh', 'write'],
  ])('with %s', (_, env, platform, inTerminal, without) => {
    expect([way(env, true, platform), way(env, false, platform)]).toEqual([inTerminal, without]);
  });

  it('opens nothing with --no-open, and stays', () => {
    expect([way({ DISPLAY: ':0' }, false, 'linux', false), way(SSH, false, 'linux', false)]).toEqual([
      'serve',
      'serve ssh',
    ]);
  });
});

describe('the line that brings the port to the browser', () => {
  it.each<[Env, string]>([
    [{ SSH_CONNECTION: '10.0.0.9 5 10.0.0.5 22', USER: 'ada' }, 'ssh -L 80:127.0.0.1:80 ada@10.0.0.5'],
    [{ SSH_CONNECTION: 'fd00::9 5 fd00::5 22' }, 'ssh -L 80:127.0.0.1:80 fd00::5'],
    [{ SSH_CONNECTION: 'fe80::9%eth0 5 fe80::5%eth0 22' }, 'ssh -L 80:127.0.0.1:80 robot'],
    [{ SSH_TTY: '/dev/pts/1', LOGNAME: 'ada' }, 'ssh -L 80:127.0.0.1:80 ada@robot'],
    [{ SSH_CONNECTION: '1 2 $(reboot) ;reboot', USER: ' -x;' }, "ssh -L 80:127.0.0.1:80 ' -x;@robot'"],
  ])('of %j', (env, line) => {
    expect(tunnelLine({ env, hostname: 'robot' }, 80)).toBe(line);
  });
});

describe('where a view is kept', () => {
  it.each<[Env, string]>([
    [{ HOME: '/home/ada' }, '/home/ada/.cache/sim-profiler/view'],
    [{ HOME: '/home/ada', XDG_CACHE_HOME: '/c' }, '/c/sim-profiler/view'],
    [{ HOME: '/home/ada', XDG_CACHE_HOME: 'c' }, '/home/ada/.cache/sim-profiler/view'],
    [{ HOME: '' }, '/home/own/.cache/sim-profiler/view'],
    [{ HOME: './ada', XDG_CACHE_HOME: '' }, '/home/own/.cache/sim-profiler/view'],
    [{}, '/home/own/.cache/sim-profiler/view'],
  ])('with %j', (env, folder) => {
    expect(viewFolder(env, () => '/home/own')).toBe(folder);
  });

  it('is asked of the system where HOME says nothing', () => {
    vi.stubEnv('HOME', '');
    expect(viewFolder({ HOME: '' })).toBe(join(userInfo().homedir, '.cache/sim-profiler/view'));
  });

  it('is not below the current folder where nobody knows a home', () => {
    expect(() => viewFolder({ HOME: '' }, () => undefined)).toThrow('There is no home folder');
  });

  it.each([
    ['demo', 'demo.speedscope.json'],
    ['a, b/c', 'a_b_c.speedscope.json'],
    ['../../etc/passwd', 'etc_passwd.speedscope.json'],
    ['.hidden', 'hidden.speedscope.json'],
    ['日本', 'profile.speedscope.json'],
    ['x'.repeat(300), `${'x'.repeat(80)}.speedscope.json`],
  ])('under a name that a file may have: %s', (title, name) => {
    expect(viewFileName(title)).toBe(name);
  });
});

describe('what BROWSER names', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['firefox', [{ name: 'firefox', arguments: [] }]],
    [
      'firefox -P sim %s::/opt/my-browser',
      [
        { name: 'firefox', arguments: ['-P', 'sim'] },
        { name: '/opt/my-browser', arguments: [] },
      ],
    ],
  ])('in %j', (variable, browsers) => {
    expect(browsersIn(variable)).toEqual(browsers);
  });
});
