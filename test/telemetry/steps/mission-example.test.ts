import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { readTables } from '../../../src/simulator/index.js';

const BRIDGE = new URL('../../../compose/bridge/', import.meta.url).pathname;

describe('the example of a mission', () => {
  it('drives the bridge, and profiler tables reads what it says of itself', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mission-'));
    const bridge = execa(process.execPath, [`${BRIDGE}main.mjs`, '--port', '0', '--feed', '0'], {
      buffer: false,
    });
    const lines: string[] = [];
    bridge.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(text));
    try {
      while (!lines.join('').includes('ready')) await once(bridge.stdout, 'data');
      const feed = /poses: (\d+)/.exec(lines.join(''))?.[1] ?? '';
      const log = join(folder, 'mission.log');
      const run = await execa(process.execPath, [`${BRIDGE}mission.mjs`, '--feed', feed, '--log', log], {
        env: { SIM_PROFILER_PROFILE: join(folder, 'run.json') },
      });
      const trace = join(folder, 'run.Square.json');
      expect(run.stdout.endsWith(`\ntrace: ${trace}`)).toBe(true);
      expect(run.stderr).toBe('');
      expect(readFileSync(log, 'utf8').trimEnd().split('\n').toSorted()).toEqual(
        ['drive(2.0)', 'look()', 'turn(90)'].flatMap((name) => [name, name, name, name]),
      );
      const ofTrace = readTables(readFileSync(trace, 'utf8'));
      const steps = ofTrace.find(({ title }) => title === 'raccoon: steps by overhead');
      const runs = steps?.rows
        .filter(({ path }) => path.length === 0)
        .map(({ name, calls }) => `${name} ${calls}`);
      expect(runs?.toSorted()).toEqual(['drive(2.0) 4', 'look() 4', 'turn(90) 4']);
      const [where, motion, hal] = readTables(run.stdout);
      expect(where?.rows.find(({ name }) => name === 'HAL/transport calls')?.calls).toBe(80);
      expect(motion?.rows.find(({ name }) => name === 'on_update compute')?.calls).toBe(80);
      expect(hal?.rows.map(({ name, calls }) => [name, calls])).toEqual([['Robot.tell', 80]]);
    } finally {
      bridge.kill('SIGTERM');
      await bridge;
    }
    expect(JSON.parse(lines.join('').trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      poses: 80,
      bad: 0,
    });
  });

  it('measures nothing where nobody asks for it', async () => {
    const bridge = execa(process.execPath, [`${BRIDGE}main.mjs`, '--port', '0', '--feed', '0'], {
      buffer: false,
    });
    try {
      const [text] = (await once(bridge.stdout.setEncoding('utf8'), 'data')) as [string];
      const feed = /poses: (\d+)/.exec(text)?.[1] ?? '';
      const run = await execa(process.execPath, [`${BRIDGE}mission.mjs`, '--feed', feed]);
      expect([run.stdout, run.stderr]).toEqual(['', '']);
    } finally {
      bridge.kill('SIGTERM');
      await bridge;
    }
  });
});
