import { describe, expect, it } from 'vitest';
import { cleanupText, doctorText, type CleanupLine, type DoctorLine } from '../../src/report/index.js';

const STYLE = { width: 60, color: false };

describe('doctor', () => {
  const line = { group: 'kernel', id: 'x', name: 'name' } as const;

  it('puts each answer under its heading, the line to type under it', () => {
    const checks: readonly DoctorLine[] = [
      { ...line, state: 'works', what: 'all well' },
      {
        ...line,
        name: 'longer name',
        state: 'limited',
        what: 'one thing after another that takes more than a line',
        fix: 'do it',
      },
      { ...line, group: 'routes', name: 'nsenter', state: 'fails', what: 'closed' },
      { ...line, group: 'samplers', name: 'perf', state: 'note', what: 'not used yet' },
    ];
    expect(doctorText({ checks, findings: [] }, STYLE)).toBe(
      `Routes to it, the least invasive first
  fails   nsenter      closed

Samplers
          perf         not used yet

Kernel
  works   name         all well
  limits  longer name  one thing after another that takes
                       more than a line
                       -> do it
`,
    );
  });

  it('cleans names and texts, and colours only where asked', () => {
    const checks: readonly DoctorLine[] = [
      { ...line, name: 'a\u001b[31m', state: 'fails', what: 'b\u202ec', fix: 'd\u0007' },
    ];
    const plain = doctorText({ checks, findings: [] }, STYLE);
    expect(plain).toContain('a\\x1b[31m');
    expect(plain).toContain('b\\u202ec');
    expect(plain).toContain('-> d\\x07');
    expect(plain).not.toContain('\u001b');
    expect(doctorText({ checks, findings: [] }, { ...STYLE, color: true })).toContain('\u001b[31mfails');
  });
});

describe('cleanup', () => {
  const item: CleanupLine = { what: 'container a at unix:///s', verb: 'removed', state: 'done' };
  const answer = { items: [], inUse: 0, dryRun: false, findings: [] };

  it('says that nothing is left', () => {
    expect(cleanupText(answer, STYLE)).toBe('Nothing is left of earlier runs.\n');
  });

  it('has a line for each thing, and the line to type for what is left', () => {
    const items: readonly CleanupLine[] = [
      item,
      {
        ...item,
        what: 'process 9 \u001b',
        verb: 'stopped',
        state: 'left',
        because: 'it may not be signalled',
        fix: 'sudo x',
      },
    ];
    expect(cleanupText({ ...answer, items, inUse: 2 }, STYLE)).toBe(
      `removed    container a at unix:///s
left       process 9 \\x1b: it may not be signalled
    -> sudo x
2 things of a profiler that still runs: left alone
`,
    );
  });

  it('says what would be done, and how to do it', () => {
    const items: readonly CleanupLine[] = [{ ...item, state: 'planned' }];
    expect(cleanupText({ ...answer, items, dryRun: true }, STYLE)).toBe(
      `would be removed container a at unix:///s
Nothing was changed. To do it: profiler cleanup
`,
    );
    const override = {
      ...item,
      kind: 'override',
      what: 'override of a',
      verb: 'restored',
      state: 'planned',
    } as const;
    expect(cleanupText({ ...answer, items: [...items, override], dryRun: true }, STYLE)).toContain(
      'To do it: profiler cleanup --yes\n',
    );
  });

  it('shows what else there is to say', () => {
    const findings = [
      { level: 'note', id: 'n', what: 'No engine.', why: 'None.' },
      { level: 'warning', id: 'w', what: 'Not as before.', why: 'So.' },
    ] as const;
    expect(cleanupText({ ...answer, findings }, STYLE)).toBe(
      `Nothing is left of earlier runs.
  Warning: Not as before. So.
  Note: No engine. None.
`,
    );
  });
});
