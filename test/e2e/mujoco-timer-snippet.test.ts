import { release } from 'node:os';
import { execa } from 'execa';
import { expect } from 'vitest';
import { MUJOCO_TIMER_SNIPPET, readTables } from '../../src/simulator/index.js';
import { describeWhere } from '../only-where.js';
import { NO_MUJOCO, VENV, hasMujoco } from '../sim/simulation.js';
import { findingIds, rowOf } from '../simulator/fixture.js';

const PROGRAM = `
model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
  <body pos="0 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>""")
data = mujoco.MjData(model)
if sys.argv[1] == "own":
    import time
    mujoco.set_mjcb_time(time.perf_counter)
for _ in range(200):
    mujoco.mj_step(model, data)
print("a line of the program")
dump_mujoco_timer(model, data, sys.stdout)
`;

async function run(clock: 'none' | 'own'): Promise<string> {
  const { stdout } = await execa(VENV, ['-c', MUJOCO_TIMER_SNIPPET + PROGRAM, clock]);
  return stdout;
}

describeWhere(hasMujoco, NO_MUJOCO)('the snippet in a program of the installed MuJoCo', (test) => {
  test('dumps times without any clock of its own', async () => {
    const [table, ...others] = readTables(await run('none'));
    expect(others).toEqual([]);
    expect(table?.title).toMatch(/^MuJoCo \d+\.\d+\.\d+ timers \(EULER, NEWTON\)$/);
    expect(table?.lines).toEqual({ from: 2, to: 2 });
    expect(table?.steps).toBe(200);
    expect(table?.run).toMatchObject({ kernel: release(), timestepS: 0.002 });
    expect(table?.run?.python).toMatch(/^3\.\d+\.\d+$/);
    expect(table?.run?.pid).toBeGreaterThan(1);
    expect(rowOf(table, 'mjTIMER_COL_NARROW')).toMatchObject({
      path: ['mjTIMER_STEP', 'mjTIMER_FORWARD', 'mjTIMER_POSITION', 'mjTIMER_POS_COLLISION'],
      calls: 200,
    });
    const step = rowOf(table, 'mjTIMER_STEP')?.totalUs ?? 0;
    expect(step).toBeGreaterThan(0);
    expect(rowOf(table, 'mjTIMER_FORWARD')?.totalUs).toBeLessThan(step);
    expect(table?.restUs).toBeGreaterThan(0);
    expect(findingIds(table)).toEqual(['physics-alone', 'mujoco-untimed']);
  });

  test('says that there is a clock where the program has set one', async () => {
    const [table] = readTables(await run('own'));
    expect(findingIds(table)).toEqual(['mujoco-callback-cost', 'physics-alone', 'mujoco-untimed']);
  });
});
