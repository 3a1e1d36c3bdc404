import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, execaSync } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readProfile } from '../../src/formats/index.js';
import {
  builtInPacks,
  classifyProfile,
  classifyStack,
  compileRules,
  countSamples,
  parseFoldedFrames,
} from '../../src/rules/index.js';
import { MUJOCO_CHECKED, MUJOCO_PHASES } from '../../src/rules/packs/mujoco-leaves.js';
import { describeWhere } from '../only-where.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FIXTURES = join(ROOT, 'test/fixtures/mujoco');
const SCRIPT = join(ROOT, 'scripts/mujoco-phases.mjs');
const NAMES: readonly string[] = Object.values(MUJOCO_PHASES).flat();
const ruleSet = compileRules(builtInPacks);

/** Functions of a release's library, without suffixes. */
function symbols(version: string): ReadonlySet<string> {
  return new Set(
    readFileSync(join(FIXTURES, `symbols-${version}.txt`), 'utf8')
      .trimEnd()
      .split('\n'),
  );
}

function claimed(stack: string): string {
  const { bucket, kind } = classifyStack(ruleSet, parseFoldedFrames(stack));
  return kind === undefined ? bucket : `${bucket}/${kind}`;
}

describe('the table of phases', () => {
  it('names each function once', () => {
    expect(new Set(NAMES).size).toBe(NAMES.length);
    expect(NAMES.length).toBe(502);
  });

  it.each([
    ['3.14.0', 865, 202],
    ['4.0.0', 1392, 263],
  ])('of MuJoCo %s, whose library has %i C functions, names %i', (version, all, named) => {
    const known = symbols(version);
    expect(known.size).toBe(all);
    expect(NAMES.filter((name) => known.has(name)).length).toBe(named);
  });

  it('has names of both releases for every phase but those that are inlined whole', () => {
    for (const version of ['3.14.0', '4.0.0']) {
      const known = symbols(version);
      const empty = Object.entries(MUJOCO_PHASES).filter(
        ([, names]) => !names.some((name) => known.has(name)),
      );
      expect(empty, version).toEqual([]);
    }
  });

  it('leaves out what several phases share, and rays', () => {
    const shared = [
      'mju_dot',
      'mju_copy',
      'mj_solveLD',
      'mj_factorI',
      'mju_transposeSparse',
      'gjk',
      'stackalloc',
    ];
    const moved = ['mju_superSparse', 'mjd_freeMhat', 'mju_factorLU6', 'mj_wake'];
    const rays = ['mj_ray', 'mj_multiRay', 'mju_rayGeom', 'ray_box'];
    expect(NAMES.filter((name) => [...shared, ...moved, ...rays].includes(name))).toEqual([]);
  });

  it('is what the script makes of the libraries it has read', () => {
    const { stdout } = execaSync(process.execPath, [SCRIPT, '--print']);
    const { versions, phases } = JSON.parse(stdout);
    expect(phases).toEqual(MUJOCO_PHASES);
    expect(versions).toEqual(MUJOCO_CHECKED);
  });
});

const WHEEL = join(ROOT, '.cache/sim-venv/lib/python3.11/site-packages/mujoco');
const library = existsSync(WHEEL)
  ? readdirSync(WHEEL).find((name) => /^libmujoco\.so\.\d/.test(name))
  : undefined;
const version = library?.slice('libmujoco.so.'.length) ?? '';
const kept = join(ROOT, `scripts/mujoco/library-${version}.json`);
const hasBinutils = execaSync('objdump', ['--version'], { reject: false }).exitCode === 0;

describeWhere(
  existsSync(kept) && hasBinutils,
  'needs objdump, and .cache/sim-venv with a MuJoCo that was read',
)('the library in use', (test) => {
  test('is read again as it was', async () => {
    const { stdout } = await execa(process.execPath, [SCRIPT, '--print', join(WHEEL, library ?? '')]);
    const { read, phases } = JSON.parse(stdout);
    expect(read).toEqual([JSON.parse(readFileSync(kept, 'utf8'))]);
    expect(phases).toEqual(MUJOCO_PHASES);
  });

  test('is refused once it is stripped', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mujoco-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const stripped = join(folder, library ?? '');
    await execa('strip', ['-o', stripped, join(WHEEL, library ?? '')]);
    const { exitCode, stdout, stderr } = await execa(process.execPath, [SCRIPT, '--print', stripped], {
      reject: false,
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(' is stripped: 0 exported and 0 local functions.');
  });
});

const LIB = '(mujoco/libmujoco.so.4.0.0)';
const STEP = 'main (sim.py:3);step (sim.py:9) #mujoco.mj_step(model, data)';

describe('a native leaf', () => {
  it.each([
    ['mj_kinematics', 'kinematics'],
    ['mj_crb', 'inertia'],
    ['mjc_PlaneBox', 'collision'],
    ['mj_instantiateContact', 'make-constraint'],
    ['mj_makeAR', 'project-constraint'],
    ['mj_solPrimal', 'constraint'],
    ['mj_comVel', 'velocity'],
    ['mj_fwdActuation', 'actuation'],
    ['mj_fwdAcceleration', 'acceleration'],
    ['mj_implicitSkip', 'advance'],
    ['mj_sensorAcc', 'sensors'],
    ['mj_checkPos', 'check'],
    ['mj_effBuild', 'position'],
  ])('%s is physics/%s, whatever a compiler or linker appends', (name, phase) => {
    for (const suffix of [
      '',
      '.llvm.77',
      '.constprop.0',
      '.isra.0',
      '.part.1',
      '.cold',
      '.part.1.cold',
      '@plt',
      '@@MUJOCO_4',
    ])
      expect(claimed(`${STEP};${name}${suffix} ${LIB}`), suffix).toBe(`physics/${phase}`);
  });

  it('that several phases share is of the nearest caller that has a phase', () => {
    expect(claimed(`${STEP};mju_dot ${LIB}`)).toBe('physics/ambiguous');
    expect(
      claimed(`${STEP};mj_forward ${LIB};mj_fwdPosition ${LIB};mj_collision ${LIB};mju_dot ${LIB}`),
    ).toBe('physics/collision');
    expect(
      claimed(`${STEP};mj_RungeKutta ${LIB};mj_forwardSkip ${LIB};mj_fwdConstraint ${LIB};mju_dot ${LIB}`),
    ).toBe('physics/constraint');
    expect(claimed(`main;simulate;mj_step;mj_collision;mju_dot;memcpy`)).toBe('physics/collision');
  });

  it('without a name is ambiguous', () => {
    expect(claimed(`${STEP};[unknown] ${LIB}`)).toBe('physics/ambiguous');
    expect(claimed(`${STEP};0x7f03c971ce50 ${LIB}`)).toBe('physics/ambiguous');
    expect(claimed(`${STEP};mj_collision ${LIB};[unknown] ${LIB}`)).toBe('physics/collision');
  });

  it('that casts rays is a sensor beneath the line that steps, and a ray cast beneath one that casts', () => {
    const cast = 'main (sim.py:3);cast (lidar.py:9) #mujoco.mj_ray(model, data, origin, ray)';
    expect(claimed(`${STEP};mj_ray ${LIB}`)).toBe('physics/sensors');
    expect(claimed(`${STEP};mj_sensorPos ${LIB};mj_ray.part.0 ${LIB};ray_box ${LIB}`)).toBe(
      'physics/sensors',
    );
    expect(claimed(`${cast};mj_ray ${LIB}`)).toBe('raycast');
    expect(claimed(`${cast};mju_dot3 ${LIB}`)).toBe('raycast');
  });

  it('of another library is told by a name that only MuJoCo has', () => {
    expect(claimed('main (sim);mj_collision (simulate)')).toBe('physics/collision');
    expect(claimed('main (sim);addVert (libcad.so)')).toBe('unclassified');
    expect(claimed('main (sim);mju_dot (simulate)')).toBe('physics/ambiguous');
  });

  it('with 100,000 suffixes is done with at once', () => {
    expect(claimed(`${STEP};${'mj_step.cold@plt'.repeat(100_000)} ${LIB}`)).toBe('physics/ambiguous');
  });
});

/** Samples of a bucket by sub-kind. */
async function kinds(file: string, bucket = 'physics'): Promise<Readonly<Record<string, number>>> {
  const bytes = readFileSync(join(FIXTURES, file));
  const profile = await readProfile([bytes], { path: file });
  const counts = countSamples(profile, classifyProfile(ruleSet, profile), 0);
  const own = counts.filter((count) => count.bucket === bucket);
  return Object.fromEntries(own.map(({ kind, samples }) => [kind ?? '', samples]));
}

describe('samples of the demo simulation on MuJoCo 4.0.0', () => {
  it('have phases by py-spy --native', async () => {
    expect(await kinds('pyspy-native-4.0.0.raw')).toEqual({
      '': 5,
      acceleration: 3,
      advance: 3,
      ambiguous: 38,
      collision: 18,
      constraint: 38,
      inertia: 1,
      kinematics: 1,
      'make-constraint': 10,
      position: 1,
      sensors: 4,
      velocity: 4,
    });
  });

  it('have the same phases by perf, whose folded text names no libraries', async () => {
    expect(await kinds('perf-4.0.0.folded')).toEqual({
      acceleration: 1,
      actuation: 3,
      advance: 13,
      ambiguous: 238,
      check: 3,
      collision: 92,
      constraint: 172,
      inertia: 1,
      kinematics: 22,
      'make-constraint': 47,
      position: 2,
      'project-constraint': 2,
      sensors: 25,
      velocity: 17,
    });
  });

  it('have no ambiguous ones where perf unwound the callers by DWARF, and rays of a lidar stay ray casts', async () => {
    expect(await kinds('perf-dwarf-4.0.0.folded')).toEqual({
      '': 1,
      acceleration: 1,
      advance: 10,
      collision: 24,
      constraint: 106,
      inertia: 4,
      kinematics: 4,
      'make-constraint': 38,
      sensors: 7,
      velocity: 7,
    });
    expect(await kinds('perf-dwarf-4.0.0.folded', 'raycast')).toEqual({ '': 189 });
  });
});
