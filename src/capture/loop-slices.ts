/** What one slice shows: the loop at its steps, no step at all, or nothing that anybody could tell. */
export type SliceVerdict = 'steps' | 'rests' | 'unknown';

/**
 * Which slices hold the loop and nothing else. The one in which stepping ended, or began anew, holds other things as well, so
 * a slice stays only between two that step. `cut`: the recording was ended in the middle of the loop, so its last slice is whole.
 * Where nothing could be told of any slice, all stay.
 */
export function loopSlices(verdicts: readonly SliceVerdict[], cut: boolean): readonly boolean[] {
  if (verdicts.every((verdict) => verdict === 'unknown')) return verdicts.map(() => true);
  return verdicts.map((verdict, index) => {
    const before = index === 0 ? 'steps' : verdicts[index - 1];
    const after = index === verdicts.length - 1 ? (cut ? 'steps' : 'rests') : verdicts[index + 1];
    return verdict === 'steps' && before === 'steps' && after === 'steps';
  });
}
