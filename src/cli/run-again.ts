import { type Finding, shellLine } from '../model/index.js';

/** `profiler attach …` with flags that `run` has as well, and a remark. */
const ATTACH = /^(sudo )?profiler attach …((?: (?:-r|--rate|--backend) [\w.+-]+| --native)*)( {2}\(.*\))?$/;

/** The same advice for a program that `run` started: it has ended, so there is nothing left to attach to. */
export function adviseRun<Told extends Finding>(
  finding: Told,
  command: readonly string[],
  load: boolean,
): Told {
  const [line, sudo = '', flags = '', remark = ''] = ATTACH.exec(finding.fix ?? '') ?? [];
  if (line === undefined) return finding;
  return {
    ...finding,
    fix: `${sudo}profiler run${load ? ' --load' : ''}${flags} -- ${shellLine(command)}${remark}`,
  };
}
