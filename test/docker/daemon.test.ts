import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { readStat, readStatus } from '../../src/target/index.js';
import { describeWhere } from '../only-where.js';
import { startDocker, whyNoDocker, type TestDocker } from './daemon.js';
import { startSimulation, whyNoSimulation } from './simulation-container.js';

const why = whyNoDocker ?? whyNoSimulation;

describeWhere(why === undefined, why ?? '')('the test engine', (it) => {
  let engine: TestDocker;
  beforeAll(async () => {
    if (why === undefined) engine = await startDocker();
  });
  afterAll(() => engine?.stop());

  it('runs the demo simulation in a container with everything taken from it', async () => {
    const simulation = await startSimulation(engine.docker, {
      name: 'a-everything',
      user: '1000',
      readOnly: true,
      noexecTmp: true,
      capDrop: ['ALL'],
      noNewPrivileges: true,
      cpus: 0.9,
      pidsLimit: 64,
    });
    try {
      expect(readStatus(simulation.hostPid)).toMatchObject({
        uids: [1000, 1000, 1000, 1000],
        capEffective: 0n,
      });
      expect(readStatus(simulation.hostPid)?.nsPids.at(-1)).toBe(simulation.nsPid);
    } finally {
      await simulation.remove();
    }
    expect(existsSync(simulation.folder)).toBe(false);
    expect(readStat(simulation.hostPid)).toBeUndefined();
  });

  it('drops to another user behind an init', async () => {
    const simulation = await startSimulation(engine.docker, {
      name: 'a-drop',
      program: 'plain',
      drop: true,
      init: true,
    });
    try {
      expect(readStatus(simulation.hostPid)?.uids[0]).toBe(0);
      expect(simulation.nsPid).toBeGreaterThan(1);
    } finally {
      await simulation.remove();
    }
  });
});
