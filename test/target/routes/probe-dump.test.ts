import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { findTarget, type RoutedProcess } from '../../../src/target/index.js';
import { probeDump } from '../../../src/target/routes/probe-dump.js';
import { newJournal } from './beside.js';

const context = {
  target: findTarget({ pid: process.pid, selfPid: -1 }),
  pyspy: { path: '/py-spy', version: '0.4.2' },
  native: false,
  journal: newJournal(),
  priority: [],
};

/** A route whose runs end as given, one after the other. */
function routeOf(runs: readonly { readonly out?: string; readonly said?: string; readonly exit: number }[]): {
  readonly route: Parameters<typeof probeDump>[0];
  readonly asked: readonly (readonly string[])[];
} {
  const asked: (readonly string[])[] = [];
  const start = (args: readonly string[]): RoutedProcess => {
    const { out = '', said = '', exit } = runs[asked.length] ?? { exit: 99 };
    asked.push(args);
    const stdout = Readable.from([out]);
    const stderr = Readable.from([said]);
    return {
      stdout,
      stderr,
      pid: Promise.resolve(undefined),
      exit: Promise.all([once(stdout, 'end'), once(stderr, 'end')]).then(() => exit),
      interrupt: () => {},
      kill: () => {},
    };
  };
  return { route: { targetPid: 7, start }, asked };
}
describe('a stack dump by a route', () => {
  const torn = { said: 'Error: Failed to copy PyCodeObject\nReason: Bad address (os error 14)\n', exit: 1 };

  it('stops nobody, unless the samples will too', async () => {
    const whole = { out: '[{"pid": 7}]', exit: 0 };
    const { route, asked } = routeOf([whole, whole]);
    expect(await probeDump(route, context)).toEqual({ works: true });
    expect(await probeDump(route, { ...context, native: true })).toEqual({ works: true });
    expect(asked).toEqual([
      ['dump', '--nonblocking', '--json', '--pid', '7'],
      ['dump', '--json', '--pid', '7'],
    ]);
  });

  it('is tried again where the stack changed meanwhile, and proves access even so', async () => {
    const through = {
      said: 'Error: Failed to copy PyFrameObject\nReason: I/O error (os error 5)\n',
      exit: 1,
    };
    const { route, asked } = routeOf([torn, through, torn]);
    expect(await probeDump(route, context)).toEqual({ works: true });
    expect(asked).toHaveLength(3);
  });

  it('is none without a thread', async () => {
    const empty = { out: '[]', exit: 0 };
    const { route } = routeOf([empty, torn, empty]);
    expect(await probeDump(route, context)).toEqual({ works: false, said: '', exit: 0 });
  });

  it('is not tried again where it is refused', async () => {
    const { route, asked } = routeOf([{ said: 'Permission denied (os error 13)', exit: 1 }]);
    expect(await probeDump(route, context)).toMatchObject({ works: false, exit: 1 });
    expect(asked).toHaveLength(1);
    const copying = 'Error: Failed to copy PyThreadState\nReason: Operation not permitted (os error 1)\n';
    const refused = routeOf([{ said: copying, exit: 1 }]);
    expect(await probeDump(refused.route, context)).toMatchObject({ works: false, exit: 1 });
    expect(refused.asked).toHaveLength(1);
  });
});
