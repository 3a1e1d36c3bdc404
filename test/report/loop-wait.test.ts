import { describe, expect, it } from 'vitest';
import { ProfileBuilder } from '../../src/model/index.js';
import { loopThreads, loopWaits } from '../../src/report/corroborate/loop-wait.js';
import { parseFoldedFrames } from '../../src/rules/index.js';

const TURN = 'main (robot.py:9);BaseEventLoop._run_once (/usr/lib/python3.11/asyncio/base_events.py:1936)';
const CALLBACK = `${TURN};Handle._run (asyncio/events.py:84)`;

/** Whether each stack is the wait of an event loop, and the threads that have one; each stack is of a thread of its own. */
function waiting(stacks: readonly string[]): readonly boolean[] {
  const builder = new ProfileBuilder('samples', { format: 'cpython' });
  const rows = stacks.map((folded, at) => {
    const stack = builder.stackOf(parseFoldedFrames(folded).map((frame) => builder.frame(frame)));
    builder.sample(stack, builder.thread({ tid: at, name: `t${at}` }), 1);
    return stack;
  });
  const profile = builder.build();
  const waits = loopWaits(profile);
  const found = rows.map((row) => waits[row] === 1);
  expect(loopThreads(profile, waits)).toEqual(found.flatMap((isWait, at) => (isWait ? [at] : [])));
  return found;
}

describe('the wait of an event loop', () => {
  it('is the selector below a turn of asyncio, whatever native code is below that', () => {
    expect(
      waiting([
        `${TURN};EpollSelector.select (selectors.py:468)`,
        `${TURN};select (/usr/lib/python3.8/selectors.py:468);epoll_wait (libc.so.6)`,
      ]),
    ).toEqual([true, true]);
  });

  it('is none of a callback that waits in a selector of its own, nor of a program without a loop', () => {
    expect(
      waiting([
        `${CALLBACK};Popen._communicate (subprocess.py:2000);PollSelector.select (selectors.py:415)`,
        `${CALLBACK};drive (robot.py:4)`,
        'main (robot.py:9);EpollSelector.select (selectors.py:468)',
        `${TURN};EpollSelector.select (robot.py:3)`,
        `${TURN};EpollSelector.select (selectors.py:468);<GC>`,
        TURN,
      ]),
    ).toEqual([false, false, false, false, false, false]);
  });

  it('is what V8 calls idle', () => {
    expect(waiting(['(idle)', '(program)', '(garbage collector)', 'tick (/srv/a.mjs:3)'])).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
