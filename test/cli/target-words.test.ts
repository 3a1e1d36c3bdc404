import { describe, expect, it } from 'vitest';
import { targetWords, typedFlags } from '../../src/cli/target-words.js';

const TARGET = { pid: 4712 };

describe('the flags that lead to a process again', () => {
  it('are its own pid, whatever tree or command line it was found by', () => {
    expect(targetWords({ pid: 4711 }, TARGET)).toEqual(['--pid', '4712']);
    expect(targetWords({ match: 'run_bridge' }, TARGET)).toEqual(['--pid', '4712']);
  });

  it('are the container or the service that was named, with what chooses inside', () => {
    expect(targetWords({ container: 'sim', match: 'a b' }, TARGET)).toEqual([
      '--container',
      'sim',
      '--match',
      'a b',
    ]);
    const service = { compose: ['a.yaml', 'b.yaml'], service: 'bridge', project: 'demo', index: 2 };
    expect(targetWords(service, TARGET)).toEqual([
      '--compose',
      'a.yaml',
      '--compose',
      'b.yaml',
      '--service',
      'bridge',
      '--project',
      'demo',
      '--index',
      '2',
    ]);
  });

  it('are typed as they were given', () => {
    expect(typedFlags({ pid: 7 })).toEqual(['--pid', '7']);
    expect(typedFlags({})).toEqual([]);
  });
});
