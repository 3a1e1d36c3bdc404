import { describe, expect, it } from 'vitest';
import { mayRedraw, progressLine } from '../../src/cli/capture-progress.js';

const SAMPLES = 2487;

function line(doneS: number, phase: string, width = 80, ascii?: true, whole?: true): string {
  return progressLine({ doneS, samples: SAMPLES, phase, ...(whole && { whole }) }, 20, {
    width,
    color: false,
    ...(ascii && { ascii }),
  });
}

describe('the progress of a capture', () => {
  it('is redrawn on a terminal that can, with somebody before it', () => {
    const here = { stderrIsTerminal: true, env: { TERM: 'xterm' } };
    expect(mayRedraw(here)).toBe(true);
    expect(mayRedraw({ ...here, stderrIsTerminal: false })).toBe(false);
    expect(mayRedraw({ ...here, env: { TERM: 'dumb' } })).toBe(false);
    expect(mayRedraw({ ...here, env: { CI: 'true' } })).toBe(false);
    expect(mayRedraw({ ...here, env: { CI: '' } })).toBe(true);
    expect(mayRedraw({ ...here, env: { CI: 'false' } })).toBe(true);
  });

  it('says how far it is, and what it does', () => {
    expect(line(10, 'sampling')).toBe('  ███████████░░░░░░░░░░░ 10.0 of 20 s   2,487 samples   sampling');
    expect(line(10, 'sampling', 200)).toBe(
      '  ███████████████░░░░░░░░░░░░░░░ 10.0 of 20 s   2,487 samples   sampling',
    );
    expect(line(10, 'sampling', 80, true)).toBe(
      '  ###########........... 10.0 of 20 s   2,487 samples   sampling',
    );
  });

  it('says in the end what was done', () => {
    expect(line(19.96, '', 200, undefined, true)).toBe(
      '  ██████████████████████████████ 20.0 s   2,487 samples',
    );
    expect(line(4, '')).toBe('  ████▍░░░░░░░░░░░░░░░░░ 4.0 of 20 s   2,487 samples');
  });

  it.each([40, 60, 80, 200])('is narrower than %i columns, so that its line never breaks', (width) => {
    const phase = 'measuring the loop before';
    const longest = progressLine({ doneS: 86_399.9, samples: 21_599_999, phase }, 86_400, {
      width,
      color: false,
    });
    expect(longest.length).toBeLessThan(width);
  });
});
