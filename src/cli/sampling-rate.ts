import { ProfilerError } from '../model/index.js';
import type { Sampler } from './attach-sampler.js';

const FASTEST_HZ = 2000;
/** A sample costs a tenth of what py-spy takes. */
const FASTEST_V8_HZ = 10_000;

/** Throws ProfilerError `rate-too-high` (2, wrong usage) for a rate that would disturb any target. */
export function fastEnough({ id }: Pick<Sampler, 'id'>, rate: number | undefined): void {
  const fastestHz = id === 'node' ? FASTEST_V8_HZ : FASTEST_HZ;
  if (rate === undefined || rate <= fastestHz) return;
  const [sampler, costs, pays] =
    id === 'node' ? ['V8', '0.02 ms', '1000 to 4000'] : [id, '0.1 to 0.2 ms', '250 to 500'];
  throw new ProfilerError(
    {
      id: 'rate-too-high',
      what: `${rate} samples per second is more than ${sampler} can take without disturbing the target.`,
      why: `A sample costs ${costs} of a CPU; ${fastestHz} a second is the limit, ${pays} is what pays.`,
      fix: 'leave out -r',
    },
    2,
  );
}
