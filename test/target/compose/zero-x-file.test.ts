import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { zeroXFile } from '../../../src/target/compose/zero-x-file.js';

const WISH = { modules: '/srv/our $tools/node_modules', output: '/home/me/recordings/bridge: 1/0x' };
const FLAGS = ['--quiet', '--title', 'bridge', '--working-dir', '/opt/sim-profiler/0x', '-D', 'out', '--'];

function serviceOf(entrypoint: readonly string[], command: readonly string[]): unknown {
  const text = zeroXFile('bridge', WISH, { entrypoint, command });
  return text === undefined ? undefined : (parse(text) as { services: { bridge: unknown } }).services.bridge;
}

describe('the file that has 0x start a service', () => {
  it('wraps a command that is node, under an init and never restarted, with both folders', () => {
    expect(serviceOf(['docker-entrypoint.sh'], ['node', 'bridge.mjs', '--port', '9090'])).toEqual({
      init: true,
      restart: 'no',
      command: [
        'node',
        '/opt/sim-profiler/node_modules/0x/cmd.js',
        ...FLAGS,
        'node',
        'bridge.mjs',
        '--port',
        '9090',
      ],
      volumes: [
        {
          type: 'bind',
          source: '/srv/our $$tools/node_modules',
          target: '/opt/sim-profiler/node_modules',
          read_only: true,
        },
        { type: 'bind', source: '/home/me/recordings/bridge: 1/0x', target: '/opt/sim-profiler/0x' },
      ],
    });
  });

  it('wraps an entrypoint that is node, and keeps the command that it would take away', () => {
    expect(serviceOf(['/usr/local/bin/node', '--enable-source-maps'], ['app.js', '--fast'])).toMatchObject({
      entrypoint: [
        '/usr/local/bin/node',
        '/opt/sim-profiler/node_modules/0x/cmd.js',
        ...FLAGS,
        '/usr/local/bin/node',
        '--enable-source-maps',
      ],
      command: ['app.js', '--fast'],
    });
  });

  it('doubles every dollar sign, since Compose would put a variable there', () => {
    const own = ['node', 'bridge.mjs', '--id', '$$', '--rate', '${RATE:-100}', 'a "b" \\ #c'];
    const { command } = serviceOf([], own) as { readonly command: readonly string[] };
    expect(command.slice(-own.length)).toEqual(own.map((one) => one.replaceAll('$', '$$$$')));
    // What Compose makes of it is what the container had.
    expect(command.slice(-own.length).map((one) => one.replaceAll('$$', '$'))).toEqual(own);
  });

  it.each([
    ['a shell', ['bash', '-c'], ['source setup.bash; exec node bridge.mjs']],
    ['a launcher', ['npm'], ['start']],
    ['nothing', [], []],
  ])('is none for %s', (_, entrypoint, command) => {
    expect(serviceOf(entrypoint, command)).toBeUndefined();
  });
});
