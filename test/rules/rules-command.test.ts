import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/io.js';
import { rulesCommand } from '../../src/cli/rules.js';
import { ProfilerError } from '../../src/model/index.js';

const HUSKY = fileURLToPath(new URL('../fixtures/rules/husky-idle.raw', import.meta.url));
const PACK = `id: own
dated: "2026-11-29"
title: Own rules
rules:
  - id: own/planner
    bucket: plugin
    match: { file: my_robot/planner.py }
    why: The planner plans.
    hits: ["main (x.py:1);plan (my_robot/planner.py:9)"]
    misses: ["main (x.py:1)"]
`;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rules-command-'));
  await writeFile(join(folder, 'own.yaml'), PACK);
  await writeFile(
    join(folder, 'wrong.yaml'),
    PACK.replace('misses: ["main (x.py:1)"]', 'misses: ["plan (my_robot/planner.py:9)"]'),
  );
  await writeFile(join(folder, 'broken.yaml'), PACK.replace('bucket: plugin', 'bucket: plug'));
});
afterAll(() => rm(folder, { recursive: true }));

async function* noInput(): AsyncGenerator<Uint8Array> {}

async function run(...args: readonly string[]): Promise<{ readonly out: string; readonly code: number }> {
  let out = '';
  let code = 0;
  const io: Io = {
    out: async (text) => {
      out += typeof text === 'string' ? text : new TextDecoder().decode(text);
    },
    err: () => undefined,
    stdin: noInput,
    stdinIsTerminal: true,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    style: { width: 80, color: false },
    errStyle: { width: 80, color: false },
    env: {},
    cwd: folder,
    setExitCode: (value) => {
      code = value;
    },
  };
  await rulesCommand(io)
    .exitOverride()
    .parseAsync([...args], { from: 'user' });
  return { out, code };
}

describe('rules list', () => {
  it('shows the rules of one bucket with their reasons and advice', async () => {
    const { out } = await run('list', '--bucket', 'physics/callback');
    expect(out).toBe(`mujoco  of 2026-11-29, 1 rule
  MuJoCo: call sites in Python, native leaves by phase, rays, rendering
  mujoco/callback  physics/callback
    Python runs beneath the line that steps: a control or passive callback,
    which holds the step up.

On one frame an earlier rule wins over a later one; of a stack the frame nearest to the leaf decides.
`);
    expect((await run('list', '--bucket', 'publishing/blocked-in-dds')).out).toContain(
      '    Advice above 2 %: ',
    );
  });

  it('says whether a pack was held against a real run', async () => {
    const { out } = await run('list', '--bucket', 'pacer/spin');
    expect(out).toContain('  Names of gz-sim 11.0.0-pre1. Untested: no run of it was recorded.\n');
    const { packs } = JSON.parse((await run('list', '--json')).out);
    const tested = (id: string): unknown => packs.find((pack: { id: string }) => pack.id === id).tested;
    expect(tested('pybullet')).toBe('PyBullet 3.2.7, CPython 3.11, with and without native frames');
    expect(tested('gz-sim')).toBe(false);
    expect(tested('roqsim')).toBeUndefined();
  });

  it('puts a user’s pack first', async () => {
    const { packs } = JSON.parse((await run('list', '--rules', 'own.yaml', '--json')).out);
    expect(packs.map((pack: { id: string }) => pack.id)).toEqual([
      'own',
      'load',
      'roqsim',
      'mujoco',
      'dm-control',
      'gymnasium',
      'flygym',
      'pybullet',
      'drake',
      'genesis',
      'isaac',
      'newton',
      'mujoco-warp',
      'warp',
      'gz-sim',
      'webots',
      'ros2',
      'node',
      'python',
      'kernel',
    ]);
    expect(packs[0].rules[0]).toMatchObject({
      id: 'own/planner',
      bucket: 'plugin',
      why: 'The planner plans.',
    });
  });
});

describe('rules explain', () => {
  it('says frame by frame which condition failed', async () => {
    const { out } = await run(
      'explain',
      'main (roqsim/runner.py:9);Pacer.wait (roqsim/clock.py:50) #time.sleep(x);publish_snapshot (roqsim/context.py:362) 12',
    );
    expect(out.replace(/\d+ rules/g, 'N rules')).toBe(`python
  roqsim/loop-call: What the loop calls and nothing finer claims, the command
  queue with its locks included, is the loop.
  publish_snapshot (roqsim/context.py:362)
  Pacer.wait (roqsim/clock.py:50)  #time.sleep(x)
    not     roqsim/pacer-sleep: Python frames stand below it
    not     roqsim/pacer-spin: the line does not contain while *:
    not     roqsim/pacer-own: the line contains one of sleep( or sleep_until( or select.select( or while *:
    not     roqsim/pacer-unknown: the text of the line is known
    not     python/sleep-line: Python frames stand below it
  main (roqsim/runner.py:9)
    not     roqsim/loop-line: Python frames stand below it
    claims  roqsim/loop-call

N rules tried on each frame; --all shows also those for other functions, files, libraries and lines.
`);
  });

  it('explains the hottest stacks of a profile', async () => {
    const { stacks } = JSON.parse((await run('explain', '--recording', HUSKY, '--top', '2', '--json')).out);
    expect(stacks.map(({ bucket, rule, weight }: Record<string, unknown>) => [bucket, rule, weight])).toEqual(
      [
        ['pacer', 'roqsim/pacer-unknown', 670],
        ['physics', 'roqsim/step-unknown', 27],
      ],
    );
    expect(stacks[0].sourceUnknown).toBe(true);
    expect(stacks[0].stack.at(-1)).toBe('wait (roqsim/clock.py:50)');
  });

  it('explains what nothing claims', async () => {
    const { stacks } = JSON.parse(
      (await run('explain', '--recording', HUSKY, '--bucket', 'unclassified', '--json')).out,
    );
    expect(stacks.map(({ weight }: { weight: number }) => weight)).toEqual([2, 2, 1]);
  });

  it('cleans what the target or the user wrote', async () => {
    const { out } = await run('explain', 'main\u001b[31m (x.py:1)');
    expect(out).not.toContain('\u001b');
    expect(out).toContain('main\\x1b[31m (x.py:1)');
  });

  it.each([
    [[], 'usage'],
    [['a (x.py:1)', '--recording', HUSKY], 'usage'],
    [['a;;b'], 'bad-stack'],
    [['a', '--rules', 'broken.yaml'], 'bad-rules'],
    [['a', '--rules', 'nowhere.yaml'], 'cannot-read-rules'],
  ])('refuses %j', async (args, id) => {
    await expect(run('explain', ...args)).rejects.toSatisfy(
      (error) => error instanceof ProfilerError && error.finding.id === id,
    );
  });
});

describe('rules test', () => {
  it('passes for every built-in pack, and for one by its id', async () => {
    const { out, code } = await run('test');
    expect(code).toBe(0);
    expect(out.match(/^(roqsim|mujoco|ros2|node|python): \d+ rules, \d+ examples, 0 failed$/gm)).toHaveLength(
      5,
    );
    expect((await run('test', 'ros2')).out).toMatch(/^ros2: \d+ rules, \d+ examples, 0 failed\n$/);
  });

  it('exits with 1 for a pack whose example goes elsewhere', async () => {
    expect(await run('test', 'own.yaml')).toEqual({ out: 'own: 1 rule, 2 examples, 0 failed\n', code: 0 });
    expect(await run('test', 'wrong.yaml')).toEqual({
      out: `own: 1 rule, 2 examples, 1 failed
  own/planner: this miss is claimed by the rule
    plan (my_robot/planner.py:9)
`,
      code: 1,
    });
    const json = JSON.parse((await run('test', 'wrong.yaml', '--json')).out);
    expect(json).toMatchObject({
      schema: 'sim-profiler/v1',
      kind: 'rules-test',
      packs: [
        {
          id: 'own',
          rules: 1,
          examples: 2,
          failed: [{ rule: 'own/planner', example: 'miss', claimedBy: 'own/planner' }],
        },
      ],
    });
  });
});
