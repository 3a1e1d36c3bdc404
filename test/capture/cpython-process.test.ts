import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { settable } from '../../src/target/routes/running.js';
import { CpythonProcess, routedWindow } from '../../src/capture/cpython-process.js';

const SAMPLES = 'sim-profiler cpython samples 1\nh {"pid":1}\nt 2 - 0R1v\n';
const WRITTEN = '{"kind":"written","samples":1,"threads":{},"facts":{}}\n';

/** A sampler whose words are ours to give. */
function sampler() {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const { promise: exit, set: end } = settable<number | string>();
  const child = { stdin, stdout, stderr, pid: Promise.resolve(7), exit, kill: () => end('SIGKILL') };
  return { process: new CpythonProcess(child), stdin, stdout, stderr, end };
}

async function window(pieces: readonly string[], exit: number | undefined, isOver = false) {
  const { process, stdin, stdout, stderr, end } = sampler();
  const run = routedWindow(process, ['r/000.samples', '500', '3'], { among: true, isOver: () => isOver });
  const told = String(stdin.read());
  stderr.write('it went wrong\n');
  for (const piece of pieces) stdout.write(piece);
  const read = [text(run.stdout), text(run.stderr)];
  // What was written is heard before the end is.
  await new Promise((resolve) => setImmediate(resolve));
  if (exit !== undefined) end(exit);
  const [talk, samples] = await Promise.all(read);
  return { told, talk, samples, exit: await run.exit };
}

describe('a window whose samples come among the messages', () => {
  it('parts them wherever the pieces are cut', async () => {
    const all = `{"kind":"sampling","atNs":"1"}\n${SAMPLES}{"kind":"stopped","because":"time"}\ne {"ticks":1}\n${WRITTEN}`;
    for (let at = 1; at < all.length; at += 7)
      expect(await window([all.slice(0, at), all.slice(at)], undefined)).toEqual({
        told: '{"kind":"record","rateHz":500,"seconds":3}\n',
        talk: `{"kind":"sampling","atNs":"1"}\n{"kind":"stopped","because":"time"}\n${WRITTEN}`,
        samples: `${SAMPLES}e {"ticks":1}\n`,
        exit: 0,
      });
  });

  it('keeps those of a sampler that its target took along, and says so', async () => {
    expect(await window([SAMPLES, 't 3'], 137, true)).toMatchObject({
      talk: '{"kind":"stopped","because":"target-ended"}\n',
      samples: SAMPLES,
      exit: 137,
    });
  });

  it('is lost where the sampler alone has ended', async () => {
    expect(await window([SAMPLES], 137)).toMatchObject({ talk: '', samples: SAMPLES, exit: 137 });
    expect(await window([], 1, true)).toMatchObject({ talk: '', samples: 'it went wrong\n', exit: 1 });
  });
});
