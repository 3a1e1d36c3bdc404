import { ProfilerError } from '../model/index.js';

const FASTEST_HZ = 2000;

/** Throws ProfilerError `rate-too-high` (2, wrong usage) for a rate that would disturb any target. */
export function fastEnough(rate: number | undefined): void {
  if (rate === undefined || rate <= FASTEST_HZ) return;
  throw new ProfilerError(
    {
      id: 'rate-too-high',
      what: `${rate} samples per second is more than py-spy can take without disturbing the target.`,
      why: `A sample costs 0.1 to 0.2 ms of a CPU; ${FASTEST_HZ} a second is the limit, 250 to 500 is what pays.`,
      fix: 'leave out -r',
    },
    2,
  );
}
