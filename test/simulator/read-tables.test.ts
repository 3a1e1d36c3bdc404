import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { fixtureText } from './fixture.js';

const HOOKS = `per-plugin hook timing (avg \u00B5s/call):
  Bridge                   post_step      120.50 \u00B5s
  lidar front              post_step       39.25 \u00B5s`;

const indented = (text: string, by: number): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? line : ' '.repeat(by) + line))
    .join('\n');

describe('tables that are quoted in a document', () => {
  it.each([
    ['roqsim', HOOKS, 3],
    ['roqsim', HOOKS, 8],
    ['FlyGym', fixtureText('flygym-2.1/timing.txt'), 4],
    ['raccoon', fixtureText('raccoon-report.txt'), 80],
  ])('are read to the right as well: %s', (_, text, by) => {
    const bare = readTables(text);
    expect(bare.length).toBeGreaterThan(0);
    expect(readTables(indented(text, by))).toEqual(bare);
    const quoted = readTables(`Before.\n\n${indented(text, by)}\nAfter.\n`);
    expect(quoted.map(({ rows }) => rows)).toEqual(bare.map(({ rows }) => rows));
  });
});
