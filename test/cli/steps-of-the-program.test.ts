import { describe, expect, it } from 'vitest';
import { temporaryFolders } from '../recording/example.js';
import { nodeRecording, spans, step, steps, told } from '../recording/node-recording.js';
import { runProfiler } from './run-profiler.js';

const folderOf = temporaryFolders();

/** Ten frames of 9 ms, one each 10 ms. */
const FRAMES = [
  {
    name: 'Frame_Total',
    calls: 10,
    spans: Array.from({ length: 10 }, (_, at) => [100 - 10 * at - 1, 9] as const),
  },
];

describe('buckets --by-step of a program that measures itself', () => {
  it('is by the steps that it names', async () => {
    const folder = await nodeRecording(
      folderOf(),
      told([], [spans(100, FRAMES), steps(100, [step('drive', 8, 52), step('look\u001b[2J', 62, 82)])]),
    );
    const text = await runProfiler(['buckets', '--by-step', folder]);
    expect(text.out).toMatch(/^ {2}drive +1 +44\.0 ms +44\.0 ms +44\.0 % /m);
    expect(text.out).not.toContain('\u001b');
    const { out } = await runProfiler(['buckets', '--by-step', folder, '--json']);
    expect(JSON.parse(out)).toMatchObject({ kind: 'by-named-step', steps: 2 });
    const next =
      '  Next: profiler buckets --by-step · profiler hot · profiler view\n        profiler report\n';
    expect((await runProfiler(['buckets', folder])).out).toContain(next);
    const page = await runProfiler(['report', folder, '-o', '-']);
    expect(page.out).toContain('2 steps ended, as the program tells.');
  });

  it('is by its frames where it names none, and says so', async () => {
    const folder = await nodeRecording(folderOf(), told([], [spans(100, FRAMES)]));
    const { out } = await runProfiler(['buckets', '--by-step', folder, '--json']);
    expect(JSON.parse(out)).toMatchObject({
      kind: 'by-step',
      steps: 9,
      stepUs: { mean: 10_000, p50: 10_000, max: 10_000 },
      findings: expect.arrayContaining([expect.objectContaining({ id: 'frames-as-steps' })]),
    });
  });

  it('is not there where it measured nothing, and what would have been is said', async () => {
    const ran = await runProfiler(['buckets', '--by-step', await nodeRecording(folderOf(), undefined)]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('A Node program tells its steps or frames itself');
  });
});
