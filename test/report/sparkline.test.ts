import { describe, expect, it } from 'vitest';
import { sparkline } from '../../src/report/sparkline.js';

describe('a line of marks', () => {
  it('is drawn from nothing to its highest value', () => {
    expect(sparkline([0, 0.001, 0.05, 0.1, 0.2, undefined, 0.4], {})).toBe(' ▁▁▂▄?█');
    expect(sparkline([0, 0.001, 0.05, 0.1, 0.2, undefined, 0.4], { ascii: true })).toBe(' ..:=?@');
  });

  it('shows nothing where there is nothing', () => {
    expect(sparkline([0, 0], {})).toBe('  ');
    expect(sparkline([undefined], {})).toBe('?');
    expect(sparkline([], {})).toBe('');
  });
});
