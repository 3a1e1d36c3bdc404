import { expect, it } from 'vitest';
import { serveView } from '../../src/cli/view-serve.js';
import { userWith } from './user.js';

it('does not wait for ever for a browser that was started and never came', async () => {
  const { io, said } = userWith({ env: { BROWSER: '/bin/true' }, cwd: '/' });
  const end = await serveView(io, {
    exhibit: { token: 'x'.repeat(32), page: new Map(), profile: () => [] },
    opens: true,
    once: false,
    leaves: true,
    announce: async ({ url }) => url,
    patienceMs: 1,
  });
  expect([end, said.out]).toEqual([{ kind: 'unseen', why: 'none came for the profile' }, '']);
});

it('was shown where a browser has it all, though a signal comes before it leaves by itself', async () => {
  const { io } = userWith({ env: {}, cwd: '/' });
  const token = 'x'.repeat(32);
  const end = await serveView(io, {
    exhibit: { token, page: new Map(), profile: () => ['{}'] },
    opens: false,
    once: false,
    leaves: true,
    announce: async (server) => {
      await (await fetch(`${server.url}profile.speedscope.json`)).text();
      await server.fetched;
      setImmediate(() => process.emit('SIGTERM'));
      return server.url;
    },
  });
  expect(end).toEqual({ kind: 'shown' });
});
