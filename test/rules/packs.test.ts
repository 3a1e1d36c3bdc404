import { describe, expect, it } from 'vitest';
import { BUCKETS } from '../../src/model/index.js';
import { compileRules } from '../../src/rules/rule-set.js';
import { runExamples } from '../../src/rules/pack-examples.js';
import { builtInPacks } from '../../src/rules/packs/index.js';

const ruleSet = compileRules(builtInPacks);
const rules = builtInPacks.flatMap((pack) => pack.rules);

describe.each(builtInPacks)('pack $id', (pack) => {
  it('claims every hit and no miss when the whole set of packs decides', () => {
    const failed = runExamples(ruleSet, pack).failed.map(
      ({ rule, example, stack, claim, unreadable }) =>
        `${rule.id} ${example}: ${stack} -> ${claim?.rule?.id ?? unreadable ?? 'nothing'}`,
    );
    expect(failed).toEqual([]);
  });

  it('has a hit, a miss and a reason for every rule', () => {
    for (const rule of pack.rules) {
      expect(rule.hits.length, rule.id).toBeGreaterThan(0);
      expect(rule.misses.length, rule.id).toBeGreaterThan(0);
      expect(rule.why, rule.id).toMatch(/^[A-Z].*\.$/);
    }
  });
});

it('names every rule once, below the name of its pack', () => {
  expect(new Set(rules.map((rule) => rule.id)).size).toBe(rules.length);
  for (const pack of builtInPacks)
    for (const rule of pack.rules) expect(rule.id).toMatch(new RegExp(`^${pack.id}/[a-z-]+$`));
});

it('sorts into every bucket that stacks can tell', () => {
  const told = new Set(rules.map((rule) => rule.bucket));
  expect(BUCKETS.filter((bucket) => !told.has(bucket))).toEqual(['unclassified']);
});

it('gives advice with a source and a sensible threshold', () => {
  const remedies = rules.flatMap((rule) => (rule.remedy === undefined ? [] : [rule.remedy]));
  expect(remedies.length).toBeGreaterThan(8);
  for (const remedy of remedies) {
    expect(remedy.above).toBeGreaterThan(0);
    expect(remedy.above).toBeLessThanOrEqual(0.1);
    expect(remedy.source).not.toBe('');
  }
});
