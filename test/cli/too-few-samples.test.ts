import { describe, expect, it } from 'vitest';
import { answer } from '../../src/cli/answer.js';
import type { Loaded } from '../../src/cli/source.js';
import { readProfile } from '../../src/formats/index.js';
import { loadedRecording } from '../loaded-recording.js';
import type { Recording } from '../../src/recording/index.js';
import { reliabilityText } from '../../src/report/breakdown-text.js';
import { builtInPacks, compileRules } from '../../src/rules/index.js';
import { recording, slice, threadAccounting } from '../recording/example.js';
import { SamplesFile } from '../samples-file.js';

const RULES = compileRules(builtInPacks);

/** A thread that sleeps, looked at `count` times every 2 ms; the kernel's window of it is `wallNs`, of which it counted none on a CPU. */
async function short(count: number, wallNs: number, ended: Recording['ended']): Promise<Loaded> {
  const file = new SamplesFile();
  const main = file.thread({ tid: 11, name: 'MainThread' });
  const stack = file.stack('<module> /app/run.py:9;rest /app/rest.py:4');
  for (let look = 0; look < count; look += 1) file.tick(2_000_000, undefined, `${main}W${stack}v`);
  const text = file.text({ ticks: count, dueTicks: count });
  const profile = await readProfile([new TextEncoder().encode(text)], { path: 'a.samples' });
  const account = threadAccounting({ tid: 11, name: 'MainThread', wallNs, onCpuNs: 0, cpuWaitNs: 0 });
  const made = recording({
    backend: 'cpython',
    rateHz: 500,
    policy: 'unknown',
    ended,
    slices: [
      slice({
        file: 'slices/000.samples',
        format: 'cpython',
        startNs: '0',
        endNs: String(count * 2_000_000),
        samples: count,
        accounting: wallNs === 0 ? [] : [account],
      }),
    ],
  });
  return loadedRecording(profile, made);
}

describe('a window too short to tell anything', () => {
  it.each([
    [6, 1e6, 'interrupted', 'was interrupted', '48211'],
    [6, 0, 'target-ended', 'ended', 'PID'],
    [45, 9e7, 'target-ended', 'ended', 'PID'],
    [6, 3e8, 'target-ended', 'ended', 'PID'],
  ] as const)(
    'of %i samples and %d ns by the kernel (%s) says so alone',
    async (count, wallNs, ended, how, pid) => {
      const found = answer(await short(count, wallNs, ended), { ruleSet: RULES });
      expect(found.findings.filter(({ id }) => id !== 'unknown-code')).toEqual([
        {
          level: 'warning',
          id: 'too-few-samples',
          what: `${count} samples in ${(count * 0.002).toFixed(2)} s are too few to tell what the thread does.`,
          why: `The recording ${how} just after it began, and of so short a window the kernel has no exact times either.`,
          fix: `profiler attach --pid ${pid} -d 20`,
        },
      ]);
      expect(found.threads[0]!.buckets.map(({ bucket, exact }) => [bucket, exact])).toEqual([
        ['cpu-wait', false],
        ['gil-wait', false],
      ]);
      expect(reliabilityText(found)).toBe(
        'Reliability: samples only, no kernel totals; 1 read error; 1 warning above.',
      );
    },
  );

  it('is not one of 50 samples in 0.1 s', async () => {
    const found = answer(await short(50, 1e8, 'complete'), { ruleSet: RULES });
    expect(found.findings.map(({ id }) => id)).toEqual(['sampler-starved', 'sampler-normal-priority']);
  });
});
