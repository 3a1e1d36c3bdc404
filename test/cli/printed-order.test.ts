import { describe, expect, it } from 'vitest';
import { answer } from '../../src/cli/answer.js';
import { hotAnswer } from '../../src/cli/hot-answer.js';
import type { Loaded } from '../../src/cli/source.js';
import { readProfile } from '../../src/formats/index.js';
import { loadedRecording } from '../loaded-recording.js';
import { builtInPacks, compileRules } from '../../src/rules/index.js';
import { recording, slice, threadAccounting } from '../recording/example.js';
import { SamplesFile } from '../samples-file.js';

const OPTIONS = { ruleSet: compileRules(builtInPacks), thread: 'MainThread' };

/** 100 looks: `queue` is seen most, but 40 of its 60 looks wait for a CPU; `solve` runs in all of its 40. */
function samples(): string {
  const file = new SamplesFile();
  const main = file.thread({ tid: 11, name: 'MainThread' });
  const queue = file.stack('<module> /app/run.py:9;queue /app/queue.py:4');
  const solve = file.stack('<module> /app/run.py:9;solve /app/solve.py:7');
  for (const [count, entry] of [
    [20, `${main}R${queue}v`],
    [40, `${main}W${queue}v`],
    [40, `${main}R${solve}v`],
  ] as const) {
    for (let look = 0; look < count; look += 1) file.tick(2_000_000, undefined, entry);
  }
  return file.text({ ticks: 100, dueTicks: 100 });
}

async function bareFile(): Promise<Loaded> {
  const profile = await readProfile([new TextEncoder().encode(samples())], { path: 'a.samples' });
  return { profile, source: { path: 'a.samples', format: 'cpython' }, findings: [] };
}

async function wholeRecording(): Promise<Loaded> {
  const { profile } = await bareFile();
  const account = threadAccounting({
    tid: 11,
    name: 'MainThread',
    wallNs: 2e9,
    onCpuNs: 1.2e9,
    cpuWaitNs: 8e8,
  });
  const made = recording({
    backend: 'cpython',
    rateHz: 500,
    slices: [
      slice({
        file: 'slices/000.samples',
        format: 'cpython',
        samples: 100,
        machineCpu: { busyNs: 3e9, stolenNs: 0 },
        accounting: [account],
      }),
    ],
  });
  return loadedRecording(profile, made);
}

describe.each([
  ['a recording', wholeRecording],
  ['a bare file', bareFile],
] as const)('the hottest of %s, where most samples are not most time', (_, load) => {
  it('are in the order of the shares printed, among what nothing claims', async () => {
    const [thread] = answer(await load(), OPTIONS).threads;
    expect(
      thread!.unclassified.map((place) => [place.frame.name, place.samples, Number(place.share.toFixed(9))]),
    ).toEqual([
      ['solve', 40, 0.4],
      ['queue', 60, 0.2],
    ]);
  });

  it.each([
    ['stack', 40],
    ['leaf', 40],
    ['function', 40],
    ['line', 40],
    ['file', 40],
  ] as const)('are not cut off by --by %s --top 1', async (by, weight) => {
    const { rows, more } = hotAnswer(await load(), { ...OPTIONS, by, top: 1 });
    expect(rows.map((row) => [row.weight ?? row.self, Number(row.share!.toFixed(9))])).toEqual([
      [weight, 0.4],
    ]);
    expect(more.weight).toBe(60);
  });
});
