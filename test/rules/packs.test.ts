import { describe, expect, it } from 'vitest';
import { BUCKETS, type Frame } from '../../src/model/index.js';
import { classifyStack } from '../../src/rules/classify.js';
import { parseFoldedFrames } from '../../src/rules/folded-frames.js';
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

it('sorts a stack alike with the name of a task between any two of its frames', () => {
  const changed: string[] = [];
  for (const stack of rules.flatMap(({ hits, misses }) => [...hits, ...misses])) {
    const frames = readable(stack);
    const { frame: _, ...claim } = classifyStack(ruleSet, frames);
    for (const name of ['<task mj_step>', '<task <GC>>', '<task (idle)>', '<task publish_scan>']) {
      for (let at = 0; at < frames.length; at += 1) {
        const { frame: __, ...other } = classifyStack(
          ruleSet,
          frames.toSpliced(at, 0, { name, kind: 'marker' }),
        );
        if (JSON.stringify(other) !== JSON.stringify(claim)) changed.push(`${stack} ${name} ${at}`);
      }
    }
  }
  expect(changed).toEqual([]);
});

/** Frames of an example; none of one that is not to be read. */
function readable(stack: string): readonly Frame[] {
  try {
    return parseFoldedFrames(stack);
  } catch {
    return [];
  }
}
