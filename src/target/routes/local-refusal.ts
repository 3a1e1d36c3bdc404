import type { Finding } from '../../model/index.js';
import { probeTrace } from '../probe-trace.js';
import { explainDump, type DumpResult } from './probe-dump.js';
import type { RouteContext } from './route.js';

/** Why a py-spy on this machine failed: by what the kernel says about the target, else by py-spy's own words. */
export async function explainLocal(
  { target, pyspy, native }: RouteContext,
  dump: DumpResult & { readonly works: false },
  where: string,
): Promise<Finding> {
  const gate = await probeTrace(target, { pyspy: pyspy.path, blocking: native });
  return gate ?? explainDump(dump, where);
}
