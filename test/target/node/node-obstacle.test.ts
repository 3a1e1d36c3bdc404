import { describe, expect, it } from 'vitest';
import { findTarget } from '../../../src/target/index.js';
import type { NodeFacts } from '../../../src/target/node/node-look.js';
import { inspectorCandidates } from '../../../src/target/node/node-look.js';
import { nodeObstacle } from '../../../src/target/node/node-obstacle.js';
import { readNodeVersion, versionInFile } from '../../../src/target/node/node-version.js';

const target = findTarget({ pid: process.pid, selfPid: 1 });
const NODE: NodeFacts = {
  program: 'node',
  version: '20.20.2',
  options: { opened: false, port: 9229, signalDisabled: false },
  fate: 'caught',
  ownHandler: false,
  listening: [],
  portTaken: false,
};

describe('what stands in the way of an inspector', () => {
  it.each<readonly [Partial<NodeFacts>, string | undefined]>([
    [{}, undefined],
    [{ ownHandler: undefined }, undefined],
    [{ program: 'deno', version: undefined }, 'node-is-deno'],
    [{ program: 'bun', version: '22.0.0' }, 'node-is-bun'],
    [{ listening: undefined }, 'node-other-user'],
    [{ program: 'python3', version: undefined }, 'not-node'],
    [{ version: '7.10.1' }, 'node-too-old'],
    [{ version: '8.0.0' }, undefined],
    [{ fate: 'kills' }, 'node-signal-kills'],
    [{ fate: 'ignored' }, 'node-signal-ignored'],
    [{ fate: 'blocked' }, 'node-signal-ignored'],
    [{ fate: undefined }, 'node-signal-unknown'],
    [{ options: { ...NODE.options, signalDisabled: true } }, 'node-signal-ignored'],
    [{ ownHandler: true }, 'node-signal-handled'],
    [{ portTaken: true }, 'inspector-port-taken'],
  ])('%j: %s', (facts, id) => {
    expect(nodeObstacle(target, { ...NODE, ...facts }, false)?.id).toBe(id);
  });

  it('is nothing of a signal where it is open', () => {
    for (const facts of [{ fate: 'kills' }, { ownHandler: true }, { portTaken: true }] as const)
      expect(nodeObstacle(target, { ...NODE, ...facts }, true)).toBeUndefined();
    expect(nodeObstacle(target, { ...NODE, program: 'deno' }, true)?.id).toBe('node-is-deno');
  });
});

describe('sockets that may be an inspector', () => {
  const listening = [
    { host: '127.0.0.1', port: 8080 },
    { host: '127.0.0.1', port: 9229 },
    { host: '10.0.0.2', port: 9229 },
  ];
  it('are those at its port, and on the loopback unless another was asked for', () => {
    expect(inspectorCandidates({ options: NODE.options, listening })).toEqual([listening[1]]);
    expect(inspectorCandidates({ options: { ...NODE.options, opened: true }, listening })).toEqual(
      listening.slice(1),
    );
    expect(inspectorCandidates({ options: { ...NODE.options, opened: true, port: 0 }, listening })).toEqual(
      listening,
    );
    expect(inspectorCandidates({ options: NODE.options, listening: undefined })).toEqual([]);
  });
});

describe('the version in a program', () => {
  it('is found, and only in a Node', () => {
    expect(readNodeVersion(process.pid)).toBe(process.versions.node);
    expect(versionInFile('/bin/sh')).toBeUndefined();
    expect(versionInFile('/nonexistent')).toBeUndefined();
  });
});
