import { OWNER_VARIABLE, ownerMark } from '../cleanup/owner.js';

/** Variables of every sampler: no backtrace after an error, and the mark by which `cleanup` knows whose it is. */
export function samplerEnvironment(): Readonly<Record<string, string>> {
  return { RUST_BACKTRACE: '0', [OWNER_VARIABLE]: ownerMark() };
}
