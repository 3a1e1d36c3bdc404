import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/io.js';
import { rulesNewCommand } from '../../src/cli/rules-new.js';
import { ProfilerError } from '../../src/model/index.js';
import { builtInPacks, classifyProfile, compileRules, runExamples } from '../../src/rules/index.js';
import { draftPack } from '../../src/rules/draft-pack.js';
import { readUserPack } from '../../src/rules/user-pack.js';
import { poolOf, profileOf } from './profile-of.js';

const HUSKY = fileURLToPath(new URL('../fixtures/rules/husky-idle.raw', import.meta.url));
const REQUEST = { id: 'own', dated: '2026-11-30', title: 'Drafted', most: 20 };

function draftOf(lines: readonly string[], most = REQUEST.most) {
  const profile = profileOf(lines);
  const claims = classifyProfile(compileRules(builtInPacks), profile);
  const { parent, frame } = profile.stacks;
  const framesOf = (stack: number) => {
    const frames = [];
    for (let row = stack; row >= 0; row = parent[row]!) frames.unshift(profile.frames[frame[row]!]!);
    return frames;
  };
  const draft = draftPack(
    builtInPacks,
    { ...REQUEST, most },
    poolOf(profile, 0).map(({ stack, weight }) => ({
      frames: framesOf(stack),
      weight,
      claim: claims[stack]!,
    })),
  );
  return { ...draft, pack: readUserPack(draft.text, 'own.yaml') };
}

describe('a drafted pack', () => {
  it('has one rule for each function that nothing claims, hottest first, with stacks of the recording', () => {
    const { pack, ...draft } = draftOf([
      'main (run.py:3);plan (my_robot/planner.py:9) 3',
      'main (run.py:3);plan (my_robot/planner.py:12);norm (numpy/linalg.py:7) 5',
      'main (run.py:4);Arm.move (my_robot/arm.py:2) 6',
      'main (run.py:5) #mujoco.mj_step(m, d) 6',
    ]);
    expect(pack.rules.map(({ id, bucket, match, leaf }) => ({ id, bucket, match, leaf }))).toEqual([
      {
        id: 'own/plan',
        bucket: 'plugin',
        match: { name: 'plan', file: 'my_robot/planner.py' },
        leaf: undefined,
      },
      {
        id: 'own/arm-move',
        bucket: 'plugin',
        match: { name: 'Arm.move', file: 'my_robot/arm.py' },
        leaf: true,
      },
    ]);
    expect(pack.rules[0]?.hits).toEqual([
      'main (run.py:3);plan (my_robot/planner.py:12);norm (numpy/linalg.py:7)',
      'main (run.py:3);plan (my_robot/planner.py:9)',
    ]);
    expect(draft).toMatchObject({ rules: 2, all: 20, unclassified: 14, held: 14, left: 0 });
    expect(draft.text).toContain(
      '  # 40.0 % of all samples\n  - id: own/plan\n    bucket: plugin # a placeholder\n',
    );
    expect(draft.text).toContain('To fill in: ');
  });

  it('passes its own examples as it is written', () => {
    const { pack } = draftOf(['main (run.py:3);plan (my_robot/planner.py:9) 3', 'work (libmine.so) 2']);
    expect(runExamples(compileRules([pack, ...builtInPacks]), pack)).toMatchObject({
      examples: 2,
      failed: [],
    });
  });

  it('does not take the line that steps from a function that also does something else', () => {
    const { pack } = draftOf([
      'main (run.py:5) #mujoco.mj_step(m, d) 6',
      'main (run.py:6) #count += 1 3',
      'main (run.py:7) #if late: 1',
    ]);
    expect(pack.rules.map(({ match, hits }) => ({ match, hits }))).toEqual([
      {
        match: { name: 'main', file: 'run.py', source: ['count += 1', 'if late:'] },
        hits: ['main (run.py:6) #count += 1', 'main (run.py:7) #if late:'],
      },
    ]);
  });

  it('leaves out a function that it cannot tell from what is classified', () => {
    const { pack: _, ...draft } = draftOf([
      'main (run.py:5) #mujoco.mj_step(m, d) 6',
      'main (run.py:6) 3',
      'main (run.py:7);plan (my_robot/planner.py:9) 1',
    ]);
    expect(draft).toMatchObject({ rules: 1, held: 1, left: 1 });
  });

  it('keeps to the number of rules that was asked for', () => {
    const { pack, left } = draftOf(['a (x.py:1) 3', 'b (x.py:2) 2', 'c (x.py:3) 1'], 2);
    expect(pack.rules.map(({ match }) => match.name)).toEqual(['a', 'b']);
    expect(left).toBe(1);
  });

  it('names two functions apart, and functions without a letter', () => {
    const { pack } = draftOf([
      'plan (x/a.py:1) 3',
      'plan (x/b.py:2) 2',
      '<lambda> (x/c.py:3) 2',
      '_ (x/d.py:3) 1',
    ]);
    expect(pack.rules.map(({ id }) => id)).toEqual(['own/plan', 'own/lambda', 'own/plan-2', 'own/function']);
  });

  it.each([
    'evil: [}\u001b[31m (x.py:1)',
    '# not a comment (x.py:1)',
    '"quoted" \'twice\' (x.py:1)',
    '- item (x{a,b}{c,d}.py:1)',
    '*anchor &alias !tag (^x.py:1)',
    'null (x.py:1)',
    'true (1.5.py:1)',
    'a\u2028line\u0085break (x.py:1)',
  ])('writes the hostile name %j so that it is read again', (frame) => {
    const { pack, text, held } = draftOf([`${frame} 3`]);
    expect(pack.rules).toHaveLength(1);
    expect(held).toBe(3);
    expect(pack.rules[0]?.hits).toEqual([frame]);
    expect([...text].filter((char) => char < ' ' && char !== '\n')).toEqual([]);
  });
});

async function* noInput(): AsyncGenerator<Uint8Array> {}

describe('rules new', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rules-new-'));
    await writeFile(join(folder, 'known.raw'), 'main (run.py:3);publish (rclpy/publisher.py:70) 4\n');
    await writeFile(join(folder, 'taken.yaml'), 'mine\n');
    await symlink('nowhere', join(folder, 'dangling.yaml'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function run(...args: readonly string[]): Promise<string> {
    let out = '';
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
      setExitCode: () => undefined,
    };
    await rulesNewCommand(io, () => new Date('2026-11-30T12:00:00Z'))
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
      .parseAsync([...args], { from: 'user' });
    return out;
  }

  it('writes a pack that is read, and ends with the lines to type', async () => {
    const out = await run('my-robot', '--from', HUSKY);
    expect(out).toMatch(/^my-robot\.yaml: \d+ rules for 0\.6 % of all samples; 0\.6 % were unclassified\.\n/);
    expect(out.split('\n').slice(-3)).toEqual([
      '  profiler rules test my-robot.yaml',
      `  profiler buckets ${HUSKY} --rules my-robot.yaml`,
      '',
    ]);
    const pack = readUserPack(await readFile(join(folder, 'my-robot.yaml'), 'utf8'), 'my-robot.yaml');
    expect(pack).toMatchObject({ id: 'my-robot', dated: '2026-11-30' });
  });

  it('prints what it did as JSON', async () => {
    const told = JSON.parse(await run('counted', '--from', HUSKY, '--json', '-o', 'other.yaml'));
    expect(told).toMatchObject({
      kind: 'rules-draft',
      id: 'counted',
      file: 'other.yaml',
      left: 0,
      findings: [],
    });
  });

  it.each([
    [['taken', '--from', HUSKY], 'file-exists'],
    [['dangling', '--from', HUSKY], 'file-exists'],
    [['x', '--from', HUSKY, '-o', 'none/x.yaml'], 'cannot-write'],
    [['x', '--from', 'known.raw'], 'nothing-to-draft'],
  ])('refuses %j', async (args, id) => {
    await expect(run(...args)).rejects.toSatisfy(
      (error) => error instanceof ProfilerError && error.finding.id === id,
    );
    expect(await readFile(join(folder, 'taken.yaml'), 'utf8')).toBe('mine\n');
  });

  it.each(['../x', 'Mine', 'mujoco', '-x', ''])('takes no pack by the name %j', async (name) => {
    await expect(run('--from', HUSKY, '--', name)).rejects.toThrow(/invalid for argument/);
  });
});
