import { describe, expect, it } from 'vitest';
import {
  type Claim,
  type Rule,
  type RulePack,
  builtInPacks,
  classifyProfile,
  classifyStack,
  compileRules,
  explainStack,
  parseFoldedFrames,
} from '../../src/rules/index.js';
import { profileOf } from './profile-of.js';

const ruleSet = compileRules(builtInPacks);

function claimOf(stack: string, set = ruleSet): Claim {
  return classifyStack(set, parseFoldedFrames(stack));
}

/** `bucket/kind label leaf` of a stack. */
function sort(stack: string): string {
  const { bucket, kind, label, blocks, sourceUnknown } = claimOf(stack);
  return [bucket + (kind === undefined ? '' : `/${kind}`), label, blocks, sourceUnknown && 'unknown-text']
    .filter((part) => part !== undefined)
    .join(' ');
}

const TICK = 'main (rover_sim/runner.py:60);Runner._tick (rover_sim/runner.py:49)';
const STEP = `${TICK};Engine.step (rover_sim/engine.py:106)`;
const HOOK = `${STEP} #self._timed(name, hook, account, function);Engine._timed (rover_sim/engine.py:120) #function(self.ctx)`;
const BRIDGE = `${HOOK};BridgeBase.post_step (rover_sim/bridge.py:40) #self._publish(endpoint, payload, ctx);Ros2Bridge._publish (rover_sim/ros2_bridge.py:88)`;

describe('the nearest claimed frame decides', () => {
  it('finds the line that steps by its text, with and without native frames, on any line number', () => {
    expect(sort(`${STEP} #mujoco.mj_step(self.model, self.data)`)).toBe('physics');
    expect(sort(`main (a.py:1);anything (b.py:9) #mujoco.mj_step(m, d)`)).toBe('physics');
    expect(sort(`${STEP} #mark(thread_time_ns())`)).toBe('python');
  });

  it('leaves memcpy with what called it', () => {
    const memcpy = 'memcpy (libc.so.6)';
    expect(sort(`main (sim);mj_ray (libmujoco.so.3.2.0);${memcpy}`)).toBe('raycast');
    expect(sort(`main (sim);mj_factorM (libmujoco.so.3.2.0);${memcpy}`)).toBe('physics/inertia');
    expect(sort(`main (sim);${memcpy}`)).toBe('unclassified');
  });

  it('prefers a phase further out to a leaf that several phases share', () => {
    expect(
      sort(
        'm;mj_step (libmujoco.so.3.2.0);mj_fwdConstraint (libmujoco.so.3.2.0);mj_solveLD (libmujoco.so.3.2.0)',
      ),
    ).toBe('physics/constraint');
  });

  it('reads methods with their class (3.11) and without (3.10) alike', () => {
    for (const name of ['Pacer.wait', 'wait']) {
      expect(sort(`${TICK};${name} (rover_sim/clock.py:50) #time.sleep((due - now) / 1e9)`)).toBe(
        'pacer/sleep sleep',
      );
    }
    for (const name of ['Engine.step', 'step']) {
      expect(sort(`${TICK};${name} (roqsim/engine.py:278)`)).toBe('physics unknown-text');
    }
    expect(sort(`${TICK};Planner.step (roqsim/engine.py:278)`)).toBe('python');
  });

  it('takes file names for what their package says', () => {
    expect(sort(`${TICK};step (roqsim_sensors/coverage/engine.py:9)`)).toBe('python');
    expect(sort('main (x.py:1);step (other/engine.py:9)')).toBe('unclassified');
    expect(sort('main (x.py:1);cast (ctypes/__init__.py:510)')).toBe('unclassified');
  });

  it('walks outwards through the context of the simulator', () => {
    const dt = 'SimContext.dt (rover_sim/context.py:318)';
    expect(sort(`${HOOK};ImuPlugin.post_step (rover_sim/plugins/imu.py:30);${dt}`)).toBe('plugin imu');
    expect(sort(`${BRIDGE};${dt}`)).toBe('publishing');
    expect(
      sort(`${STEP} #self.ctx.drain_commands();SimContext.drain_commands (rover_sim/context.py:40)`),
    ).toBe('python');
  });
});

describe('the bridge', () => {
  it('takes hooks that it calls, while physics, render and ray casts win from the leaf', () => {
    const read = `${HOOK};BridgeBase.post_step (rover_sim/bridge.py:38);Endpoint.read (rover_sim/bridge.py:25)`;
    expect(sort(read)).toBe('publishing/read');
    expect(
      sort(
        `${read};LidarPlugin.read_state (rover_sim/plugins/lidar.py:50);where (numpy/core/multiarray.py:3)`,
      ),
    ).toBe('publishing/read');
    expect(
      sort(
        `${read};CameraPlugin.read_state (rover_sim/plugins/camera.py:28);Renderer.render (mujoco/renderer.py:150)`,
      ),
    ).toBe('render camera');
    expect(
      sort(
        `${read};LidarPlugin.read_state (rover_sim/plugins/lidar.py:50);RayCaster.cast_many (rover_sim/raycast.py:30)`,
      ),
    ).toBe('raycast lidar');
  });

  it('names the message type from the class that is filled, else from the function that fills it', () => {
    expect(
      sort(
        `${BRIDGE};fill_laser_scan (rover_sim/registry.py:60);LaserScan.ranges (sensor_msgs/msg/_laser_scan.py:200)`,
      ),
    ).toBe('publishing/message-build LaserScan');
    expect(sort(`${BRIDGE};fill_imu (rover_sim/registry.py:70)`)).toBe('publishing/message-build Imu');
    expect(
      sort(`${BRIDGE};fill_odometry (rover_sim/registry.py:80);Point.x (geometry_msgs/msg/_point.py:20)`),
    ).toBe('publishing/message-build Odometry');
    expect(
      sort(`${BRIDGE};stamp_header (rover_sim/registry.py:35);Time.sec (builtin_interfaces/msg/_time.py:20)`),
    ).toBe('publishing/message-build');
    const pose = 'Pose.position (geometry_msgs/msg/_pose.py:20)';
    expect(sort(`${BRIDGE};fill_odometry (rover_sim/registry.py:80);${pose}`)).toBe(
      'publishing/message-build Odometry',
    );
    expect(sort(`${BRIDGE};${pose}`)).toBe('publishing/message-build Pose');
    expect(
      sort(
        `${HOOK};post_step (rover_sim/bridge.py:41);_tick (rover_sim/ros2_bridge.py:99);Clock.clock (rosgraph_msgs/msg/_clock.py:20)`,
      ),
    ).toBe('publishing/message-build Clock');
    expect(
      sort(
        `${HOOK};post_step (rover_sim/bridge.py:41);_tick (rover_sim/ros2_bridge.py:93);sendTransform (tf2_ros/transform_broadcaster.py:10);publish (rclpy/publisher.py:30)`,
      ),
    ).toBe('publishing TFMessage');
  });

  it('leaves callbacks that the executor runs to the executor', () => {
    const spin =
      'run (threading.py:953);spin (rclpy/executors.py:58);_spin_once_impl (rclpy/executors.py:66)';
    expect(sort(`${spin};<lambda> (rclpy/executors.py:95);_on_cmd_vel (rover_sim/ros2_bridge.py:115)`)).toBe(
      'executor/callback',
    );
    expect(
      sort(
        `${spin};wait_for_ready_callbacks (rclpy/executors.py:75);_wait_for_ready_callbacks (rclpy/executors.py:90) #ready = wait_set.wait(timeout_ms)`,
      ),
    ).toBe('idle wait');
  });
});

describe('rays', () => {
  const ray = 'mju_rayGeom (mujoco/libmujoco.so.3.14.0)';
  it('are sensors of the model beneath the line that steps, ray casts beneath a cast line', () => {
    expect(sort(`${STEP} #mujoco.mj_step(self.model, self.data);${ray}`)).toBe('physics/sensors');
    expect(
      sort(
        `${HOOK};_sweep (rover_sim/plugins/lidar.py:40);cast_many (rover_sim/raycast.py:30) #mujoco.mj_multiRay(;${ray}`,
      ),
    ).toBe('raycast lidar');
  });

  it('name the sensor that asked, for two sensors that share one cast', () => {
    const cast = 'cast (roqsim/raycast.py:139)';
    expect(sort(`${HOOK};post_step (roqsim_sensors/plugins/lidar_front.py:9);${cast}`)).toBe(
      'raycast lidar_front',
    );
    expect(sort(`${HOOK};post_step (roqsim_sensors/plugins/lidar_rear.py:9);${cast}`)).toBe(
      'raycast lidar_rear',
    );
  });
});

describe('what blocks', () => {
  const mutex = 'pthread_mutex_lock (libc.so.6)';
  it('stays with the bucket of its stack, and only tells how the leaf blocks', () => {
    expect(
      sort(`${HOOK};GripPlugin.post_step (rover_sim/plugins/grip.py:3) #with self._lock:;${mutex}`),
    ).toBe('plugin/blocked grip wait');
    expect(sort(`${HOOK};GripPlugin.post_step (rover_sim/plugins/grip.py:3) #time.sleep(0.001)`)).toBe(
      'plugin/blocked grip sleep',
    );
    expect(
      sort(
        `main (x.py:1);render (mujoco/renderer.py:9);mjr_render (libmujoco.so.3.2.0);x (libOSMesa.so.8);pthread_cond_wait (libc.so.6)`,
      ),
    ).toBe('render/blocked wait');
    expect(sort(`main (x.py:1);publish (rclpy/publisher.py:9);write (libfastdds.so.2.14);${mutex}`)).toBe(
      'publishing/blocked-in-dds wait',
    );
    expect(sort('llvmpipe-0;x (swrast_dri.so);pthread_cond_wait (libc.so.6)')).toBe('idle/driver wait');
  });

  it('is a bucket of its own only where nothing but the loop claims it', () => {
    expect(sort(`${TICK};work (libmine.so);${mutex}`)).toBe('lock-wait wait');
    expect(sort(`main (x.py:1);commit (store.py:3) #self._db.commit()`)).toBe('io-wait/sqlite wait');
    expect(sort(`main (x.py:1);retry (net.py:3) #time.sleep(0.5)`)).toBe('idle/sleep sleep');
  });

  it('is the GIL where an extension takes it back or Python hands it over', () => {
    expect(
      sort(
        `${STEP} #mujoco.mj_step(m, d);0x7f (mujoco/_functions.cpython-311-x86_64-linux-gnu.so);pthread_cond_timedwait (libc.so.6);0x7e (libc.so.6)`,
      ),
    ).toBe('gil-wait wait');
    expect(sort(`${HOOK};pthread_cond_wait (libc.so.6)`)).toBe('gil-wait wait');
    expect(
      sort(
        `${TICK};wait (rover_sim/clock.py:50) #time.sleep(x);time_sleep (libpython3.11.so.1.0);pthread_cond_timedwait (libc.so.6)`,
      ),
    ).toBe('gil-wait wait');
  });

  it('is idle under an executor or event loop', () => {
    const select = 'EpollSelector.select (selectors.py:468)';
    expect(
      sort(
        `main (x.py:1);BaseEventLoop._run_once (asyncio/base_events.py:1900);${select};epoll_wait (libc.so.6)`,
      ),
    ).toBe('idle/event-loop sleep');
    expect(sort(`main (x.py:1);${select}`)).toBe('io-wait sleep');
  });
});

describe('pacing', () => {
  const wait = `${TICK};Pacer.wait (rover_sim/clock.py:50)`;
  it('sleeps, spins or is unknown, by the text of its line', () => {
    expect(sort(`${wait} #time.sleep((due - now) / 1e9)`)).toBe('pacer/sleep sleep');
    expect(sort(`${wait} #while monotonic_ns() < due:`)).toBe('pacer/spin');
    expect(sort(`${wait} #remaining = due - now`)).toBe('pacer');
    expect(sort(wait)).toBe('pacer unknown-text');
    expect(sort(`${wait};clock_nanosleep (libc.so.6)`)).toBe('pacer/sleep sleep');
    expect(sort(`${wait} #while monotonic_ns() < due:;clock_gettime (libc.so.6);0x7f ([vdso])`)).toBe(
      'pacer/spin',
    );
  });

  it('does not own what a torn stack shows beneath its sleep', () => {
    expect(sort(`${wait} #time.sleep(x);publish_snapshot (rover_sim/context.py:60)`)).toBe('python');
  });
});

describe('classifyProfile', () => {
  it('gives every row of a prefix tree what classifyStack gives its stack', () => {
    const stacks = builtInPacks.flatMap((pack) =>
      pack.rules.flatMap((rule) => [...rule.hits, ...rule.misses]),
    );
    const profile = profileOf(stacks.map((stack) => `${stack} 1`));
    const claims = classifyProfile(ruleSet, profile);
    const got = stacks.map((_, i) => claims[profile.samples.stack[i]!]);
    expect(got).toEqual(stacks.map((stack) => claimOf(stack)));
    expect(claims.length).toBe(profile.stacks.length);
  });

  it('tells which frame decided, from the root', () => {
    expect(claimOf(`${STEP} #mujoco.mj_step(m, d);0x7f (libc.so.6)`).frame).toBe(2);
    expect(claimOf('main (x.py:1)').frame).toBe(-1);
    expect(classifyStack(ruleSet, [])).toEqual({ bucket: 'unclassified', frame: -1 });
  });
});

const makeRule = (id: string, fields: Partial<Rule>): Rule => ({
  id,
  bucket: 'plugin',
  match: { name: 'f' },
  why: 'Because.',
  hits: [],
  misses: [],
  ...fields,
});
const makePack = (id: string, rules: readonly Rule[]): RulePack => ({
  id,
  dated: '2026-01-01',
  title: id,
  rules,
});

describe('precedence', () => {
  it('lets a pack of the user win on the same frame, but not over a nearer frame', () => {
    const own = makePack('own', [
      makeRule('own/publish', { bucket: 'executor', match: { file: 'rclpy/publisher.py' } }),
    ]);
    const set = compileRules([own, ...builtInPacks]);
    expect(claimOf('main (x.py:1);publish (rclpy/publisher.py:9)', set).rule?.id).toBe('own/publish');
    expect(claimOf('main (x.py:1);publish (rclpy/publisher.py:9);rcl_publish (librcl.so)', set).bucket).toBe(
      'publishing',
    );
  });

  it('checks caller, fromLine, under, notUnder and leaf', () => {
    const set = compileRules([
      makePack('p', [
        makeRule('p/caller', { kind: 'caller', caller: { name: 'c' } }),
        makeRule('p/line', {
          kind: 'line',
          match: { name: 'n', kind: 'native' },
          fromLine: { source: 'call(' },
        }),
        makeRule('p/under', {
          kind: 'under',
          under: [{ name: 'u1' }, { name: 'u2' }],
          notUnder: { name: 'not' },
        }),
        makeRule('p/inner', { kind: 'inner', leaf: false, match: { name: 'g' } }),
      ]),
    ]);
    const kind = (stack: string) => claimOf(stack, set).kind;
    expect(kind('c (a.py:1);f (a.py:2)')).toBe('caller');
    expect(kind('c (a.py:1);<task x>;f (a.py:2)')).toBe('caller');
    expect(kind('c (a.py:1);x (a.py:2);f (a.py:2)')).toBeUndefined();
    expect(kind('a (a.py:1) #call(1);m (l.so);n (l.so)')).toBe('line');
    expect(kind('a (a.py:1) #call(1);b (a.py:1);n (l.so)')).toBeUndefined();
    expect(kind('u2 (a.py:1);x (a.py:2);f (a.py:2)')).toBe('under');
    expect(kind('not (a.py:1);u1 (a.py:1);f (a.py:2)')).toBeUndefined();
    expect(kind('g (a.py:1);x (a.py:2)')).toBe('inner');
    expect(kind('g (a.py:1);x (l.so)')).toBeUndefined();
  });
});

describe('explainStack', () => {
  it('tries every rule on each frame from the leaf to the one that decides, and names the failed condition', () => {
    const { claim, frames } = explainStack(
      ruleSet,
      parseFoldedFrames(
        `${TICK};Pacer.wait (rover_sim/clock.py:50) #time.sleep(x);clock_nanosleep (libc.so.6)`,
      ),
    );
    expect(claim.rule?.id).toBe('roqsim/pacer-sleep');
    expect(frames.map(({ index }) => index)).toEqual([3, 2]);
    const rules = builtInPacks.reduce((sum, pack) => sum + pack.rules.length, 0);
    expect(frames.map(({ trials }) => trials.length)).toEqual([rules, rules]);
    const failed = (frame: number, id: string) => frames[frame]?.trials.find(({ rule }) => rule.id === id);
    expect(failed(0, 'python/native-sleep')?.failed).toBeUndefined();
    expect(failed(0, 'roqsim/pacer-sleep')?.failed).toBe('file');
    expect(failed(1, 'roqsim/pacer-sleep')?.failed).toBeUndefined();
    expect(failed(1, 'roqsim/pacer-spin')?.failed).toBe('source');
    expect(failed(1, 'roqsim/pacer-own')?.failed).toBe('notSource');
    expect(failed(1, 'roqsim/pacer-unknown')?.failed).toBe('sourceKnown');
    expect(failed(1, 'mujoco/step-line')?.failed).toBe('source');
    expect(failed(1, 'python/rate-sleep')?.failed).toBe('file');
  });

  it('goes to the root where nothing claims', () => {
    const { claim, frames } = explainStack(
      ruleSet,
      parseFoldedFrames('main (x.py:1);cast (ctypes/__init__.py:510)'),
    );
    expect(claim.bucket).toBe('unclassified');
    expect(frames.map(({ index }) => index)).toEqual([1, 0]);
    expect(frames.every(({ trials }) => trials.every(({ failed }) => failed !== undefined))).toBe(true);
  });
});
