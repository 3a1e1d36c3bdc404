import { describe, expect, it } from 'vitest';
import { pySpy } from '../../src/capture/backends/index.js';

describe('what py-spy says', () => {
  it.each([
    [
      'py-spy> Sampling process 250 times a second for 5 seconds. Press Control-C to exit.',
      { kind: 'started' },
    ],
    ['py-spy> Stopped sampling because Control-C pressed', { kind: 'stopped', because: 'asked' }],
    ['py-spy> Stopped sampling because process exited', { kind: 'stopped', because: 'target-ended' }],
    [
      "py-spy> Wrote raw flamegraph data to 'a Samples: 1 Errors: 2.raw'. Samples: 1326 Errors: 26649",
      { kind: 'written', samples: 1326, errors: 26649 },
    ],
    [
      'py-spy> 13.88s behind in sampling, results may be inaccurate. Try reducing the sampling rate',
      { kind: 'behind', seconds: 13.88 },
    ],
    ['py-spy> You can use the flamegraph.pl script', undefined],
    ['', undefined],
  ])('reads %j', (line, said) => {
    expect(pySpy.readLine(line)).toEqual(said);
  });
});
