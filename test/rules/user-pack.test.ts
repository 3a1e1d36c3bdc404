import { describe, expect, it } from 'vitest';
import { ProfilerError } from '../../src/model/index.js';
import { builtInPacks, compileRules, runExamples } from '../../src/rules/index.js';
import { readUserPack } from '../../src/rules/user-pack.js';

const GOOD = `id: my-robot
dated: "2026-11-29"
title: My robot
rules:
  - id: my-robot/planner
    bucket: plugin
    kind: planner
    match:
      file: [my_robot/planner.py, my_robot/search.py]
      notSource: time.sleep(
    under: { file: "roqsim/engine.py" }
    label: { from: caller, match: { file: "my_robot/" } }
    whenBlocked: { kind: stalled }
    remedy: { text: Plan every tenth step., source: our wiki, above: 0.2 }
    why: The planner runs inside a hook.
    hits:
      - "step (roqsim/engine.py:281);plan (my_robot/planner.py:9)"
    misses:
      - "main (x.py:1);plan (my_robot/planner.py:9)"
`;

function faults(text: string): string {
  try {
    readUserPack(text, 'mine.yaml');
  } catch (error) {
    if (!(error instanceof ProfilerError)) throw error;
    expect(error.finding.id).toBe('bad-rules');
    expect(error.exitCode).toBe(2);
    return error.finding.what;
  }
  return 'accepted';
}

describe('a user’s pack', () => {
  it('is read as it is written', () => {
    expect(readUserPack(GOOD, 'mine.yaml')).toEqual({
      id: 'my-robot',
      dated: '2026-11-29',
      title: 'My robot',
      rules: [
        {
          id: 'my-robot/planner',
          bucket: 'plugin',
          kind: 'planner',
          match: { file: ['my_robot/planner.py', 'my_robot/search.py'], notSource: 'time.sleep(' },
          under: { file: 'roqsim/engine.py' },
          label: { from: 'caller', match: { file: 'my_robot/' } },
          whenBlocked: { kind: 'stalled' },
          remedy: { text: 'Plan every tenth step.', source: 'our wiki', above: 0.2 },
          why: 'The planner runs inside a hook.',
          hits: ['step (roqsim/engine.py:281);plan (my_robot/planner.py:9)'],
          misses: ['main (x.py:1);plan (my_robot/planner.py:9)'],
        },
      ],
    });
  });

  it('runs its examples through the whole set', () => {
    const pack = readUserPack(GOOD, 'mine.yaml');
    const set = compileRules([pack, ...builtInPacks]);
    expect(runExamples(set, pack)).toEqual({ pack, examples: 2, failed: [] });
    const wrong = {
      ...pack,
      rules: pack.rules.map((rule) => ({ ...rule, hits: ['main (x.py:1)', 'a;;b'], misses: rule.hits })),
    };
    const run = runExamples(compileRules([wrong, ...builtInPacks]), wrong);
    expect(
      run.failed.map(({ example, stack, claim, unreadable }) => [example, stack, claim?.bucket, unreadable]),
    ).toEqual([
      ['hit', 'main (x.py:1)', 'unclassified', undefined],
      ['hit', 'a;;b', undefined, 'empty frame in "a;;b"'],
      ['miss', 'step (roqsim/engine.py:281);plan (my_robot/planner.py:9)', 'plugin', undefined],
    ]);
  });

  it.each([
    [
      'a misspelt field',
      GOOD.replace('notSource', 'notsource'),
      'mine.yaml:10: rules[0].match.notsource is not a known field',
    ],
    [
      'an unknown bucket',
      GOOD.replace('bucket: plugin', 'bucket: planning'),
      'mine.yaml:6: rules[0].bucket must be one of physics',
    ],
    [
      'a bucket that is not for rules',
      GOOD.replace('bucket: plugin', 'bucket: unclassified'),
      'mine.yaml:6: rules[0].bucket must be one of',
    ],
    ['a missing field', GOOD.replace(/ {4}why.*\n/, ''), 'mine.yaml:5: rules[0].why is missing'],
    [
      'a wrong type',
      GOOD.replace('above: 0.2', 'above: a lot'),
      'mine.yaml:14: rules[0].remedy.above must be a number',
    ],
    [
      'a share above 1',
      GOOD.replace('above: 0.2', 'above: 20'),
      'mine.yaml:14: rules[0].remedy.above must be from 0 to 1',
    ],
    [
      'a number for a name',
      GOOD.replace('kind: planner', 'kind: 3'),
      'mine.yaml:7: rules[0].kind must be text',
    ],
    [
      'an unknown label',
      GOOD.replace('from: caller', 'from: nowhere'),
      'mine.yaml:12: rules[0].label.from must say from: caller',
    ],
    [
      'a misspelt field of an ancestor',
      GOOD.replace('{ file: "roqsim/engine.py" }', '{ fil: x }'),
      'mine.yaml:11: rules[0].under.fil is not a known field',
    ],
    [
      'an empty pattern',
      GOOD.replace('{ file: "roqsim/engine.py" }', '{}'),
      'mine.yaml:11: rules[0].under must name at least one of',
    ],
    ['no rules', 'id: a\ndated: "2026-11-29"\ntitle: b\nrules: []\n', 'mine.yaml:4: rules must not be empty'],
    ['a bad date', GOOD.replace('"2026-11-29"', 'today'), 'mine.yaml:2: dated must be a date: 2026-11-29'],
    [
      'a day that no calendar has',
      GOOD.replace('2026-11-29', '9999-99-99'),
      'mine.yaml:2: dated must be a date: 2026-11-29',
    ],
    [
      'a 30th of February',
      GOOD.replace('2026-11-29', '2026-02-30'),
      'mine.yaml:2: dated must be a date: 2026-11-29',
    ],
    [
      'two documents',
      `${GOOD}---\na: 1\n`,
      'mine.yaml:20: the file holds several documents (---); a pack is one',
    ],
    ['a tower of brackets', '['.repeat(20_000), 'mine.yaml:1: the file is nested too deeply'],
    ['a field twice', 'id: a\nid: b\n', 'mine.yaml:2: the same field comes twice'],
    ['an alias of nothing', 'id: *x\n', 'mine.yaml:1: an alias (*name) has no anchor (&name) before it'],
    ['a tab', 'rules:\n\t- a\n', 'mine.yaml:2: a tab is used for indentation; take spaces'],
    [
      'a number for an ancestor',
      GOOD.replace('{ file: "roqsim/engine.py" }', '3'),
      'mine.yaml:11: rules[0].under must be a map of fields, or a list of such maps',
    ],
    ['a list for a pack', '- a\n- b\n', 'mine.yaml:1: the file must be a map of fields'],
    ['an empty file', '', 'mine.yaml:1: the file must be a map of fields'],
    ['broken YAML', GOOD.replace('bucket: plugin', 'bucket: [plugin'), 'mine.yaml:'],
    [
      'a tower of braces',
      GOOD.replace('my_robot/search.py', '"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"'),
      'mine.yaml:8: rules[0].match pattern stands for more than 256 spellings',
    ],
  ])('with %s is refused with its line', (_, text, expected) => {
    expect(faults(text).startsWith(expected), faults(text)).toBe(true);
    expect(faults(text)).not.toMatch(/call stack|parseAllDocuments|Invalid type|Expected/);
  });

  it('names a rule that comes twice', () => {
    const twice = GOOD + GOOD.slice(GOOD.indexOf('  - id:'));
    expect(faults(twice)).toBe('mine.yaml:20: rules[1].id my-robot/planner is already the id of rule 1');
  });

  it('does not blow up on aliases of aliases', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x, x]',
      ...['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map(
        (name, i) =>
          `${name}: &${name} [${Array(10)
            .fill(`*${String.fromCharCode(97 + i)}`)
            .join(', ')}]`,
      ),
    ].join('\n');
    expect(faults(bomb)).toBe('mine.yaml:1: its aliases (*name) stand for too much text');
  });
});
