import { describe, expect, it } from 'vitest';
import {
  cleanText,
  displayWidth,
  safeJson,
  truncateCallers,
  truncateMiddle,
} from '../../src/report/index.js';

describe('cleanText', () => {
  it.each([
    ['plain (a.py:1)', 'plain (a.py:1)'],
    ['кириллица 日本 naïve', 'кириллица 日本 naïve'],
    ['\u001b[31mred', '\\x1b[31mred'],
    ['a\nb\tc\rd', 'a\\nb\\tc\\rd'],
    ['\u009b2J', '\\x9b2J'],
    ['\u0007\u0000\u007f', '\\x07\\x00\\x7f'],
    ['abc\u202edef', 'abc\\u202edef'],
    ['\u2066x\u2069\u200f\u061c', '\\u2066x\\u2069\\u200f\\u061c'],
    ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
    ['line\u2028break', 'line\\u2028break'],
    ['lone \ud800 surrogate', 'lone \\ud800 surrogate'],
    ['tail \udc00', 'tail \\udc00'],
    ['tag \u{e0041}', 'tag \\u{e0041}'],
    ['😀', '😀'],
  ])('%j becomes %j', (raw, clean) => {
    expect(cleanText(raw)).toBe(clean);
  });
});

describe('safeJson', () => {
  it('keeps the data and leaves nothing that steers a terminal', () => {
    const value = { name: 'a\u009b2J\u202e\u001b\n"', tag: '\u{e0041}' };
    const text = safeJson(value, 2);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toBe('{\n  "name": "a\\u009b2J\\u202e\\u001b\\n\\"",\n  "tag": "\\udb40\\udc41"\n}');
  });
});

describe('truncateMiddle', () => {
  it('keeps both ends', () => {
    expect(truncateMiddle('roqsim/plugins/lidar_sensor.py', 15)).toBe('roqsim/…nsor.py');
    expect(truncateMiddle('short', 15)).toBe('short');
    expect(truncateMiddle('anything', 0)).toBe('');
  });

  it('counts wide characters as two columns', () => {
    const cut = truncateMiddle('日本語日本語日本語', 9);
    expect(displayWidth(cut)).toBeLessThanOrEqual(9);
    expect(cut.startsWith('日') && cut.endsWith('語') && cut.includes('…')).toBe(true);
  });

  it('cuts a name of a megabyte without measuring all of it', () => {
    const cut = truncateMiddle(`start${'x'.repeat(1_000_000)}end`, 20);
    expect(displayWidth(cut)).toBeLessThanOrEqual(20);
    expect(cut.startsWith('start') && cut.endsWith('end')).toBe(true);
  });
});

describe('truncateCallers', () => {
  const stack = 'mj_step (libmujoco.so) < step:3 < loop:2 < main:1';

  it('keeps the leaf and as many whole callers as fit', () => {
    expect(truncateCallers(stack, 80)).toBe(stack);
    expect(truncateCallers(stack, 45)).toBe('mj_step (libmujoco.so) < step:3 < loop:2 < …');
    expect(truncateCallers(stack, 40)).toBe('mj_step (libmujoco.so) < step:3 < …');
    expect(truncateCallers(stack, 26)).toBe('mj_step (libmujoco.so) < …');
  });

  it('cuts a leaf that is too long by itself in its middle', () => {
    expect(truncateCallers(stack, 22)).toBe('mj_step (libmujoco.so)');
    expect(truncateCallers(stack, 14)).toBe('mj_step…co.so)');
    expect(displayWidth(truncateCallers(`${'x'.repeat(1e6)} < main:1`, 20))).toBeLessThanOrEqual(20);
  });
});
