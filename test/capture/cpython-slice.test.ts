import { describe, expect, it } from 'vitest';
import { cpython } from '../../src/capture/backends/index.js';
import { namedInSamples, statesOf } from '../../src/capture/cpython-slice.js';

describe('what a file of samples names', () => {
  it('are threads and the lines that were executed, whatever else is in it', () => {
    const { names, hot } = namedInSamples(
      [
        'sim-profiler cpython samples 1',
        'h {"python":"3.11.7"}',
        'd 0 {"tid":4711,"nsTid":27}',
        'd 0 {"tid":4711,"nsTid":27,"name":"MainThread"}',
        'd 1 {"tid":4712}',
        'd 2 broken',
        'c 0 1 ["<module>","/app/run \\"x\\".py"]',
        'c 1 10 ["f","<string>"]',
        'c 2 10 ["g","/app/b.py"]',
        'f 0 -1 0 3',
        'f 1 0 0 4',
        'f 2 1 1 1',
        'f 3 1 2 12 "Task-1"',
        'f 4 1 2 0',
        't 2000000 0 0R1v',
        'c 3 1 ["half',
      ].join('\n'),
    );
    expect([...names]).toEqual([[4711, 'MainThread']]);
    expect([...hot].map(([file, lines]) => [file, [...lines]])).toEqual([
      ['/app/run "x".py', [3, 4]],
      ['/app/b.py', [12]],
    ]);
  });

  it('counts looks as the kernel counts states', () => {
    const counts = { looks: 10, running: 4, cpuWait: 1, gil: 2, sleep: 3, other: 1, lost: 1 };
    expect(statesOf(counts)).toEqual({ looks: 10, running: 4, gil: 2, sleep: 3, other: 1 });
  });
});

describe('the words of our own sampler', () => {
  it.each([
    ['{"kind":"ready","switches":"sched"}', undefined],
    ['{"kind":"sampling","atNs":"12"}', { kind: 'started' }],
    ['{"kind":"stopped","because":"time"}', { kind: 'stopped', because: 'asked' }],
    ['{"kind":"stopped","because":"asked"}', { kind: 'stopped', because: 'asked' }],
    ['{"kind":"stopped","because":"target-ended"}', { kind: 'stopped', because: 'target-ended' }],
    [
      '{"kind":"written","samples":5,"threads":{},"facts":{"ticks":5}}',
      { kind: 'written', samples: 5, threads: {}, facts: { ticks: 5 } },
    ],
    ['not of it', undefined],
    ['null', undefined],
  ])('%s', (line, said) => {
    expect(cpython.readLine(line)).toEqual(said);
  });
});
