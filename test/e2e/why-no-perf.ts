import { findPerf, findTarget, openJournal, probePerf } from '../../src/target/index.js';

/** Whether this machine lets perf record at all, which only trying tells: why not, for the name of a skipped test. */
export const whyNoPerf: string | undefined = await (async () => {
  const perf = await findPerf(process.env).catch(() => undefined);
  if (perf === undefined) return 'no perf (scripts/test installs it)';
  const target = findTarget({ pid: process.pid, selfPid: 1 });
  const journal = openJournal({ XDG_STATE_HOME: '/nonexistent' }, '');
  const probe = await probePerf({ target, perf, journal });
  return probe.works ? undefined : probe.finding.what;
})();
