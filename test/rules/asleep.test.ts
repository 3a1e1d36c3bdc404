import { describe, expect, it } from 'vitest';
import { ProfileBuilder, SAMPLE_STATES } from '../../src/model/index.js';
import type { Profile, SampleState } from '../../src/model/index.js';
import { builtInPacks, classifyProfile, compileRules } from '../../src/rules/index.js';

const RULES = compileRules(builtInPacks);

/** Samples of one thread by `name (file:line)`, in a state or in none. */
function profileOf(rows: readonly (readonly [string, number, SampleState?])[]): Profile {
  const builder = new ProfileBuilder('samples', { format: 'cpython' });
  const thread = builder.thread({ name: 'MainThread' });
  for (const [text, weight, state] of rows) {
    const [, name = '', file = '', line = ''] = /^(.*) \((.*):(\d+)\)$/.exec(text) ?? [];
    const frame = builder.frame({ name, kind: 'python', file, line: Number(line) });
    const place = state === undefined ? undefined : SAMPLE_STATES.indexOf(state);
    builder.sample(builder.stack(-1, frame), thread, weight, undefined, place);
  }
  return builder.build();
}

/** Bucket and kind by stack. */
function claimsOf(profile: Profile): Record<string, string> {
  const claims = classifyProfile(RULES, profile);
  return Object.fromEntries(
    claims.map(({ bucket, kind }, row) => [
      profile.frames[profile.stacks.frame[row] ?? -1]?.name,
      kind === undefined ? bucket : `${bucket}/${kind}`,
    ]),
  );
}

describe('a stack that no rule claims', () => {
  it('is idle where its thread sleeps in it more than it works', () => {
    const found = claimsOf(
      profileOf([
        ['rest (alias.py:3)', 60, 'sleep'],
        ['rest (alias.py:3)', 2, 'running'],
        ['f (alias.py:9)', 30, 'running'],
        ['mixed (alias.py:12)', 10, 'sleep'],
        ['mixed (alias.py:12)', 10, 'running'],
        ['reads (alias.py:15)', 10, 'sleep'],
        ['reads (alias.py:15)', 11, 'blocked'],
      ]),
    );
    expect(found).toEqual({
      rest: 'idle/sleep',
      f: 'unclassified',
      mixed: 'unclassified',
      reads: 'unclassified',
    });
  });

  it('is idle however long it waited besides, which is nobody’s', () => {
    const found = claimsOf(
      profileOf([
        ['rest (alias.py:3)', 3, 'sleep'],
        ['rest (alias.py:3)', 40, 'cpu-wait'],
        ['rest (alias.py:3)', 40, 'gil-wait'],
      ]),
    );
    expect(found).toEqual({ rest: 'idle/sleep' });
  });

  it('stays what it was where nobody knows what its thread did', () => {
    expect(claimsOf(profileOf([['rest (alias.py:3)', 60]]))).toEqual({ rest: 'unclassified' });
  });
});

it('a stack that a rule claims stays where it is, also asleep', () => {
  const found = claimsOf(profileOf([['publish (rclpy/publisher.py:71)', 60, 'sleep']]));
  expect(found).toEqual({ publish: 'publishing' });
});
