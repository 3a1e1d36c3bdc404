import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { overrideFile } from '../../../src/target/compose/override-file.js';
import { isThrowaway, throwawayFile, throwawayFolder } from '../../../src/target/compose/throwaway.js';

describe('the throwaway file', () => {
  it('adds capabilities to one service and holds nothing else', () => {
    expect(overrideFile('bridge', ['SYS_PTRACE'])).toBe(
      'services:\n  "bridge":\n    cap_add:\n      - SYS_PTRACE\n',
    );
  });

  it('quotes names that YAML 1.1 reads as something else', () => {
    for (const name of ['on', '123', 'sim.bridge-1_x', 'null', '1e3'])
      expect(parse(overrideFile(name, ['SYS_PTRACE']), { version: '1.1' })).toEqual({
        services: { [name]: { cap_add: ['SYS_PTRACE'] } },
      });
  });

  it('doubles a dollar sign, which Compose would replace', () => {
    expect(overrideFile('a$HOME', ['SYS_PTRACE'])).toContain('"a$$HOME":');
  });

  it('is known again by its path', () => {
    expect(isThrowaway(throwawayFile(throwawayFolder()))).toBe(true);
    expect(isThrowaway('/home/me/sim-profiler-override/override.yaml')).toBe(false);
    expect(isThrowaway('/tmp/sim-profiler-override-0123abcd/compose.yaml')).toBe(false);
  });
});
