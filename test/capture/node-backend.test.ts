import { describe, expect, it } from 'vitest';
import { node } from '../../src/capture/backends/index.js';
import { nodeFindings } from '../../src/capture/node-findings.js';
import type { NodeSlice } from '../../src/capture/node-slice.js';
import type { RatedPlanRequest } from '../../src/capture/request.js';

const REQUEST: RatedPlanRequest = {
  route: {
    id: 'nsenter',
    targetPid: 4711,
    output: 'file',
    commands: (args) => [
      ['kill', '-USR1', '4711'],
      ['nsenter', '-t', '4711', '-n', 'node', 'main.js', ...args],
    ],
  },
  node: { address: { host: '127.0.0.1', port: 9230 }, wasOpen: false },
  realtime: { allowed: true, argv: ['chrt', '-f', '50'] },
  target: {
    pid: 4711,
    startTicks: 1,
    command: ['node', 'bridge.js'],
    runtime: 'node',
    uid: 0,
    gid: 0,
    passedOver: [],
  },
  sampler: { path: 'node', version: 'v20.20.2' },
  durationS: 10,
  rateHz: 3984,
  sliceS: 4,
  native: false,
  baselineS: 0,
  folder: '/tmp/rec',
};

describe('the plan of the inspector', () => {
  it('opens it, then records slice by slice', () => {
    const { commands, slices } = node.plan(REQUEST);
    const record = 'nsenter -t 4711 -n node main.js record 127.0.0.1 9230 251';
    expect(commands.map(({ argv }) => argv.join(' '))).toEqual([
      'kill -USR1 4711',
      `${record} 4 /tmp/rec/slices/000.cpuprofile`,
      `${record} 4 /tmp/rec/slices/001.cpuprofile`,
      `${record} 2 /tmp/rec/slices/002.cpuprofile`,
    ]);
    expect(slices.map(({ log }) => log)).toEqual(['slices/000.log', 'slices/001.log', 'slices/002.log']);
  });

  it('has slices that grow with a recording that may end at any moment', () => {
    const { slices } = node.plan({ ...REQUEST, loopOnly: true, sliceS: 1, durationS: 86_400 });
    expect(slices.slice(0, 2).map(({ seconds }) => seconds)).toEqual([1, 1]);
    expect(slices.length).toBeLessThan(600);
  });

  it('says what it costs, and who opens the inspector', () => {
    expect(node.plan(REQUEST).cost).toContain('about 8 % of a core');
    expect(node.plan(REQUEST).cost).toContain('SIGUSR1 opens its inspector at 127.0.0.1:9230');
    const open = { ...REQUEST, node: { address: { host: '::1', port: 1 }, wasOpen: true } };
    expect(node.plan(open).cost).toContain('open already, and stays so');
  });

  it.each([
    ['Sampling.', { kind: 'started' }],
    ['Stopped: asked.', { kind: 'stopped', because: 'asked' }],
    ['Stopped: target-ended.', { kind: 'stopped', because: 'target-ended' }],
    ['Wrote 15936 samples of 2 threads.', { kind: 'written', samples: 15_936 }],
    ['inspector: no answer', undefined],
  ])('reads %j', (line, said) => {
    expect(node.readLine(line)).toEqual(said);
  });
});

function slice(changes: Partial<NodeSlice>): NodeSlice {
  const loop = {
    delayMs: { p50: 0.2, p99: 2, max: 9 },
    utilization: 0.5,
    gc: { count: 10, ms: 8, longestMs: 3 },
  };
  return { threads: [], silentWorkers: 0, seconds: 4, loop, ...changes };
}

describe('what Node tells of itself', () => {
  it('is a note with figures over all slices', () => {
    const other = {
      delayMs: { p50: 0.6, p99: 12, max: 15 },
      utilization: 0.3,
      gc: { count: 2, ms: 4, longestMs: 2 },
    };
    const [note, ...rest] = nodeFindings([slice({}), slice({ loop: other })]);
    expect(rest).toEqual([]);
    expect(note).toMatchObject({
      level: 'note',
      what: 'The event loop of the main thread was late by 0.4 ms (median), 12 ms (99th percentile), 15 ms at most, and had something to run 40.0 % of the time.',
    });
    expect(note?.why).toContain('12 times, 12 ms in all (0.1 % of the time), 3.0 ms at longest');
  });

  it('is a warning where steps are missed by it', () => {
    const late = { delayMs: { p50: 1, p99: 20, max: 30 }, gc: { count: 0, ms: 0, longestMs: 0 } };
    expect(nodeFindings([slice({ loop: late })])[0]?.level).toBe('warning');
    const collecting = { delayMs: { p50: 1, p99: 2, max: 3 }, gc: { count: 50, ms: 200, longestMs: 9 } };
    expect(nodeFindings([slice({ loop: collecting })])[0]?.level).toBe('warning');
  });

  it('is nothing where it told nothing, and says which workers were silent', () => {
    const { loop: _, ...without } = slice({ silentWorkers: 2 });
    expect(nodeFindings([without]).map(({ id, what }) => [id, what])).toEqual([
      ['node-workers-silent', '2 worker threads gave no profile.'],
    ]);
    expect(nodeFindings([])).toEqual([]);
  });
});
