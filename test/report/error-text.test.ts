import { expect, it } from 'vitest';
import { errorText } from '../../src/report/index.js';

it('prints what there is to choose from one line each, without what a terminal would obey', () => {
  const finding = {
    what: '2 processes match /x/.',
    list: ['60: python3 a', '50: python3 \u001B[31mb\nc'],
    why: 'Which is meant?',
    fix: 'profiler attach --pid PID',
  };
  expect(errorText(finding, false)).toBe(
    'profiler: 2 processes match /x/.\n' +
      '    60: python3 a\n' +
      '    50: python3 \\x1b[31mb\\nc\n' +
      '  Which is meant?\n' +
      '  -> profiler attach --pid PID\n',
  );
});
