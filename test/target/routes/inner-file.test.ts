import { describe, expect, it } from 'vitest';
import { openEngine, type RouteContext } from '../../../src/target/index.js';
import { innerFileTrace, removeInnerFile } from '../../../src/target/routes/inner-file.js';
import type { Inside } from '../../../src/target/routes/inside.js';
import { fakeEngine } from '../docker/fake-engine.js';
import { newJournal } from './beside.js';

const PATH = '/py-spy-0123456789ab';
const VERSION = { Version: '24.0.7', ApiVersion: '1.43' };

/** A container that refuses whatever is asked about its files. `inspect`: what the engine knows of it; nothing once it is gone. */
async function inside(inspect?: object): Promise<Inside> {
  const socket = await fakeEngine({
    'GET /version': VERSION,
    'HEAD /containers/c/archive': 'refuse',
    ...(inspect === undefined ? {} : { 'GET /containers/c/json': inspect }),
  });
  const engine = await openEngine({ DOCKER_HOST: `unix://${socket}` });
  const context = { journal: newJournal(), target: { command: ['python3'] } } as unknown as RouteContext;
  const container = { id: 'c', name: 'bridge' } as Inside['container'];
  return { context, engine, container, user: '0:0', privileged: false };
}

async function removed(one: Inside): Promise<readonly [readonly string[], number]> {
  one.context.journal.add(innerFileTrace(one, PATH));
  const findings = await removeInnerFile(one, PATH);
  return [findings.map(({ id }) => id), one.context.journal.traces().length];
}

describe('a file in a container that refuses to remove it', () => {
  it('is gone with the container', async () => {
    expect(await removed(await inside())).toEqual([[], 0]);
  });

  it('goes with a container that is being removed', async () => {
    expect(await removed(await inside({ State: { Status: 'removing' } }))).toEqual([[], 0]);
  });

  it.each(['running', 'exited', 'paused'])('is left in one that stays: %s', async (Status) => {
    expect(await removed(await inside({ State: { Status } }))).toEqual([['file-left'], 1]);
  });
});
