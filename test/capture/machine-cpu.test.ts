import { describe, expect, it } from 'vitest';
import { machineCpuBetween, parseMachineCpu } from '../../src/capture/machine-cpu.js';

const STAT = `cpu  100 20 30 4000 50 6 7 40 8 9
cpu0 50 10 15 2000 25 3 3 20 4 5
intr 1
`;

const at = (busyNs: number, stolenNs: number) => ({ machineCpu: { busyNs, stolenNs } });

describe('what the CPUs of a machine did', () => {
  it('is read from /proc/stat: guests are part of user, waiting for a disk is idle', () => {
    expect(parseMachineCpu(STAT)).toEqual({ busyNs: 2.03e9, stolenNs: 0.4e9 });
  });

  it('is not known from a kernel that tells no steal, or from another file', () => {
    expect(parseMachineCpu('cpu  1 2 3 4 5 6 7\n')).toBeUndefined();
    expect(parseMachineCpu('')).toBeUndefined();
  });

  it('is the difference of the first and the last reading that have it', () => {
    expect(machineCpuBetween([{}, at(100, 10), at(130, 12), at(200, 30), {}])).toEqual({
      busyNs: 100,
      stolenNs: 20,
    });
    expect(machineCpuBetween([at(100, 10)])).toBeUndefined();
    // The kernel's idle and steal counters may step back a little.
    expect(machineCpuBetween([at(100, 10), at(99, 9)])).toEqual({ busyNs: 0, stolenNs: 0 });
  });
});
