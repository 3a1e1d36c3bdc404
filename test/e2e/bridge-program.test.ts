import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { onlyWithAll } from '../only-where.js';
import { type NodeTarget, startNode } from './node-targets.js';

interface Message {
  readonly topic: string;
  readonly msg: {
    readonly header: { readonly seq: number };
    readonly ranges?: readonly number[];
    readonly pose?: { readonly pose: { readonly position: { readonly x: number; readonly y: number } } };
  };
}

let bridge: NodeTarget | undefined;
const clients: (Socket | WebSocket)[] = [];
afterEach(async () => {
  for (const one of clients.splice(0))
    if (one instanceof WebSocket) one.terminate();
    else one.destroy();
  await bridge?.stop('SIGKILL');
  bridge?.remove();
  bridge = undefined;
});

async function start(...flags: readonly string[]) {
  bridge = await startNode('../../compose/bridge/main.mjs', ['--port', '0', '--feed', '0', ...flags]);
  const [, port = 0, feed = 0] = (/clients: (\d+), poses: (\d+)/.exec(bridge.said()) ?? []).map(Number);
  return { target: bridge, port, feed };
}

/** A client that keeps all it gets. */
async function listen(port: number) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse((data as Buffer).toString('utf8')) as Message));
  clients.push(socket);
  await once(socket, 'open');
  const count = (topic: string): number => messages.filter((one) => one.topic === topic).length;
  const x = (): number | undefined =>
    messages.findLast(({ topic }) => topic === '/odom')?.msg.pose?.pose.position.x;
  return { socket, messages, count, x };
}

async function countsOf(target: NodeTarget): Promise<unknown> {
  expect(await target.stop()).toBe('0');
  return JSON.parse(target.said().trim().split('\n').at(-1) ?? '');
}

describe('the WebSocket bridge', () => {
  it('publishes the pose that it is fed, and one of its own when nobody feeds it', async () => {
    const { target, port, feed } = await start();
    const { messages, x } = await listen(port);
    // On its own round it comes no further than 2 m.
    await vi.waitUntil(() => Math.abs(x() ?? 9) <= 2, 10_000);
    const sender = connect(feed, '127.0.0.1');
    clients.push(sender);
    sender.write('{"x": 3, "y": 1, "heading": 0}\nno pose\n{"x": "3"}\n');
    await vi.waitUntil(() => x() === 3, 10_000);
    await vi.waitUntil(() => messages.at(-1)?.topic === '/scan', 10_000);
    const { ranges = [] } = messages.at(-1)?.msg ?? {};
    // Ahead, to the left, behind and to the right, in a room of 8 m by 6 m.
    expect([0, 90, 180, 270].map((ray) => ranges[ray])).toEqual(
      [1, 2, 7, 4].map((m) => expect.closeTo(m, 6)),
    );
    sender.end();
    await vi.waitUntil(() => x() !== 3, 10_000);
    expect(await countsOf(target)).toMatchObject({ clients: 1, poses: 1, bad: 2, skipped: 0, failed: 0 });
  });

  onlyWithAll(it)('counts what it does not send to a client that does not read', async () => {
    const { target, port } = await start('--hz', '1000');
    const reader = await listen(port);
    const stuck = await listen(port);
    stuck.socket.pause();
    // More than the system holds for a socket and its other end.
    await vi.waitUntil(() => reader.count('/scan') > 3000, 60_000);
    const seqs = reader.messages.flatMap(({ topic, msg }) => (topic === '/scan' ? msg.header.seq : []));
    expect((seqs.at(-1) ?? 0) - (seqs[0] ?? 0)).toBe(seqs.length - 1);
    const { skipped } = (await countsOf(target)) as { readonly skipped: number };
    expect(skipped).toBeGreaterThan(0);
  });
});
