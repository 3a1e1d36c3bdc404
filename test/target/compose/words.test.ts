import { describe, expect, it } from 'vitest';
import { changes, parseDryRun } from '../../../src/target/compose/dry-run.js';
import { composeFailed, composeWords } from '../../../src/target/compose/run-compose.js';
import { missingCapabilities } from '../../../src/target/compose/capabilities.js';

describe('a dry run', () => {
  it('is read step by step', () => {
    const text = ` DRY-RUN MODE -  Container robot-bridge-1  Recreate
 DRY-RUN MODE -  Container 753a2c5d145e_robot-bridge-1  Starting
time="2026" level=warning msg="Found orphan containers"
 DRY-RUN MODE -  Volume "robot data"  Creating
`;
    expect(parseDryRun(text)).toEqual([
      { kind: 'Container', name: 'robot-bridge-1', action: 'Recreate' },
      { kind: 'Container', name: '753a2c5d145e_robot-bridge-1', action: 'Starting' },
      { kind: 'Volume', name: '"robot data"', action: 'Creating' },
    ]);
  });

  it('that says Running changes nothing', () => {
    expect(changes(parseDryRun(' DRY-RUN MODE -  Container a-b-1  Running \n'))).toEqual([]);
  });
});

describe('the words of Compose', () => {
  it('are kept, without colours, progress and warnings', () => {
    const err = `time="2026-11-29T20:00:00Z" level=warning msg="the attribute version is obsolete"
 Container robot-bridge-1  Recreate
\u001b[31mError response from daemon: invalid CapAdd: unknown capability: "CAP_X"\u001b[0m
`;
    expect(composeWords(err)).toEqual([
      'Error response from daemon: invalid CapAdd: unknown capability: "CAP_X"',
    ]);
  });

  it('of v1 are kept without its traceback', () => {
    const err = `Traceback (most recent call last):
  File "docker-compose", line 3, in <module>
    main()
yaml.parser.ParserError: while parsing a flow sequence
  in "bad.yaml", line 1, column 11
[123] Failed to execute script docker-compose
`;
    expect(composeWords(err)).toEqual([
      'yaml.parser.ParserError: while parsing a flow sequence',
      'in "bad.yaml", line 1, column 11',
    ]);
  });

  it('come with a line that says them again', () => {
    const argv = ['docker', 'compose', '-f', '/my project/compose.yaml', 'config', '--services'];
    expect(composeFailed(argv, 'yaml: line 1: did not find expected node content\n').finding).toMatchObject({
      id: 'compose-failed',
      what: 'Compose says: yaml: line 1: did not find expected node content.',
      fix: "docker compose -f '/my project/compose.yaml' config --quiet",
    });
  });
});

function lacking(capAdd: readonly string[], privileged = false): readonly string[] {
  return missingCapabilities(['SYS_PTRACE', 'PERFMON'], { privileged, capAdd });
}

describe('capabilities', () => {
  it('are the same with and without CAP_', () => {
    expect(lacking(['CAP_SYS_PTRACE'])).toEqual(['PERFMON']);
    expect(lacking(['sys_ptrace', 'perfmon'])).toEqual([]);
    expect(lacking(['ALL'])).toEqual([]);
    expect(lacking([], true)).toEqual([]);
    expect(lacking(['SYS_NICE'])).toEqual(['SYS_PTRACE', 'PERFMON']);
  });
});
