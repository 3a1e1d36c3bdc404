import { expect } from 'vitest';
import { burstOfStacks } from '../../src/capture/index.js';
import { framesOf, type Profile } from '../../src/model/index.js';
import { describeWhere } from '../only-where.js';
import { NO_PYSPY, pyspy, realtime, start } from './live.js';

/** The outermost lines that were met, by their text. */
function textsOf(profile: Profile | undefined): ReadonlySet<string> {
  const rows = [...(profile?.samples.stack ?? [])].flatMap((stack) =>
    profile === undefined || stack < 0 ? [] : framesOf(profile, stack),
  );
  return new Set(rows.flatMap((frame) => profile?.frames[frame]?.sourceText ?? []));
}

describeWhere(pyspy !== undefined, NO_PYSPY)('a burst of looks', (test) => {
  test('meets a step of 5 % of the time, and knows its line', async () => {
    const live = await start('short-step.py');
    try {
      const priority = realtime.allowed ? realtime.argv : [];
      const profile = await burstOfStacks(pyspy?.path ?? '', live.pid, {}, priority);
      expect([...textsOf(profile)]).toEqual(expect.arrayContaining(['mj_step(0.0002)', 'time.sleep(0.004)']));
    } finally {
      await live.stop();
    }
  });

  test('is nothing where the process is gone', async () => {
    const live = await start('short-step.py');
    await live.stop();
    expect(await burstOfStacks(pyspy?.path ?? '', live.pid, {})).toBeUndefined();
  });
});
