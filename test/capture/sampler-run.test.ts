import { PassThrough } from 'node:stream';
import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pySpy } from '../../src/capture/backends/index.js';
import { startSampler } from '../../src/capture/sampler-run.js';
import type { Route } from '../../src/target/index.js';
import { emptyFolder } from './live.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A sampler that no signal reaches, as in a frozen container. */
function frozen(): { readonly sent: string[]; readonly route: Route } {
  const sent: string[] = [];
  const route = {
    output: 'stderr',
    start: () => ({
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      pid: new Promise(() => {}),
      exit: new Promise(() => {}),
      interrupt: () => sent.push('SIGINT'),
      kill: () => sent.push('SIGKILL'),
    }),
  } as unknown as Route;
  return { sent, route };
}

it('gives up a sampler that neither an interrupt nor a kill ends', async () => {
  const { sent, route } = frozen();
  const folder = emptyFolder();
  mkdirSync(`${folder}/slices`);
  const planned = { file: 'slices/000.raw', log: 'slices/000.log', args: [], argv: [], seconds: 4 };
  const sampler = startSampler(pySpy, planned, { folder, route }, () => 5n);
  sampler.interrupt();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(sent).toEqual(['SIGINT']);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toEqual(['SIGINT', 'SIGKILL']);
  await vi.advanceTimersByTimeAsync(3000);
  expect(await sampler.done).toMatchObject({ exit: 'unresponsive', startNs: undefined });
  expect([await sampler.started, await sampler.stopped]).toEqual([undefined, 5n]);
});
