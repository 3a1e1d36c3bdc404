import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FORMATS, readProfile } from '../../src/formats/index.js';
import {
  checkProfile,
  foldedLines,
  framesOf,
  heaviestStacks,
  mergeProfiles,
  selfAndTotal,
  totalWeight,
} from '../../src/model/index.js';
import type { Frame, Profile } from '../../src/model/index.js';
import { beyondHead, bytes, fixture, inChunks, meaning, spelled } from './reading.js';

interface Expected {
  readonly format: string;
  readonly samples: number;
  /** Folded lines, heaviest first. */
  readonly stacks: readonly string[];
  readonly threads?: Profile['threads'];
  readonly lost?: readonly string[];
}

const SPIN = '<module> (bridge.py:90);loop (bridge.py:40)';
const DOCSTRING =
  'Return the trait.\n\n    Args:\n        trait (Trait): the; trait\n\n    Returns: bool 3 times\n';
const ROOT = 'process 8988:"bash -c python3 bridge.py "--arg=a;b c"; true"';
const SPIN_ONCE = 'main (node.py:44);spin (rclpy/executors.py:295);spin_once (rclpy/executors.py:813)';
const PARENTS = [{ pid: 8988, command: 'bash -c python3 bridge.py "--arg=a;b c"; true' }];

const EXPECTED: Readonly<Record<string, Expected>> = {
  'pyspy-raw/01-semicolon-in-filename.txt': {
    format: 'pyspy-raw',
    samples: 72,
    stacks: [`${SPIN};spin (cell; rm.py:5) 62`, `${SPIN};spin (cell; rm.py:6) 10`],
  },
  'pyspy-raw/02-newline-in-filename.txt': {
    format: 'pyspy-raw',
    samples: 33,
    stacks: [`${SPIN};pub (bridge.py:55) 20`, `${SPIN};spin (multi\nline:6) 13`],
  },
  'pyspy-raw/03-docstring-frame.txt': {
    format: 'pyspy-raw',
    samples: 10,
    stacks: [
      '<module> (bridge.py:90);pub (bridge.py:55) 6',
      `<module> (bridge.py:90);eval (nodes/stmt.py:12);${DOCSTRING} (nodes/stmt.py:88);leaf (a.py:1) 4`,
    ],
  },
  'pyspy-raw/05-process-frames.txt': {
    format: 'pyspy-raw',
    samples: 17,
    threads: [
      {
        pid: 8990,
        command: '/usr/bin/python3 bridge.py --arg=a;b c',
        parents: PARENTS,
        tid: 9031,
        name: 'MainThread',
      },
      { pid: 8991, command: '/usr/bin/python3 other.py', parents: PARENTS },
    ],
    stacks: [
      `${ROOT};process 8990:"/usr/bin/python3 bridge.py --arg=a;b c";thread (9031): MainThread;<module> (bridge.py:24);step (bridge.py:30) 12`,
      `${ROOT};process 8991:"/usr/bin/python3 other.py";<module> (other.py:2) 5`,
    ],
  },
  'pyspy-raw/06-special-names.txt': {
    format: 'pyspy-raw',
    samples: 10,
    stacks: [
      '_find_and_load (<frozen importlib._bootstrap>:1027);exec_module (<frozen importlib._bootstrap_external>:883);<module> (<string>:1);<lambda> (bridge.py:15);<listcomp> (bridge.py:19);<genexpr> (sensor_msgs/msg/_image.py:210);func (<__array_function__ internals>:200) 7',
      '<module> (bridge.py:9);step (bridge.py:5) 3',
    ],
  },
  'pyspy-raw/08-native-frames.txt': {
    format: 'pyspy-raw',
    samples: 42,
    stacks: [
      '<module> (bridge.py:90);step (bridge.py:41);mj_step (libmujoco.so.3.2.0);mj_solNewton (engine/engine_solver.c:1822);__memmove_avx_unaligned_erms (libc.so.6) 30',
      '<module> (bridge.py:90);pub (bridge.py:55);std::function<void (int)>::operator()(int) const (libfastrtps.so.2.6);eprosima::fastrtps::rtps::RTPSWriter::new_change(std::function<unsigned int ()> const&) (libfastrtps.so.2.6) 12',
    ],
  },
  'pyspy-raw/09-non-ascii.txt': {
    format: 'pyspy-raw',
    samples: 15,
    stacks: ['<module> (bridge.py:27);кириллица (bridge.py:20);スキャン (ノード.py:6) 15'],
  },
  'pyspy-raw/12-count-forms.txt': {
    format: 'folded',
    samples: 18,
    stacks: ['a;i 8', 'a;h 7', 'a;b 3'],
    lost: [
      'line 2: count is not a whole number: a;c 1.5',
      'line 3: two numbers at the end: a before/after line, or a name that ends in a number: a;d 2 4',
      'line 4: count is negative: a;e -3',
      'line 5: count is not written in plain digits: a;f 1e3',
      'line 6: no count at the end: a;g',
    ],
  },
  'pyspy-raw/13-duplicate-lines.txt': { format: 'folded', samples: 9, stacks: ['a;b 7', 'a;c 2'] },
  'pyspy-raw/15-recursion.txt': {
    format: 'pyspy-raw',
    samples: 10,
    stacks: [
      'main (a.py:1);build (a.py:9);build (a.py:9);build (a.py:9) 6',
      'main (a.py:1);build (a.py:9) 2',
      'main (a.py:1);idle (a.py:20) 2',
    ],
  },
  'pyspy-raw/16-lines-of-one-function.txt': {
    format: 'pyspy-raw',
    samples: 100,
    stacks: [
      'loop (b.py:42);pub (b.py:70) 30',
      'loop (b.py:40);cast (b.py:51) 20',
      'loop (b.py:40);cast (b.py:52) 20',
      'loop (b.py:41);cast (b.py:53) 20',
      'loop (b.py:40);__init__ (c.py:5) 5',
      'loop (b.py:40);__init__ (c.py:95) 5',
    ],
  },
  'pyspy-raw/17-bom-and-crlf.txt': {
    format: 'pyspy-raw',
    samples: 5,
    stacks: ['main (a.py:1);x (a.py:2) 3', 'main (a.py:1);y (a.py:3) 2'],
  },
  'foreign-folded/01-tachyon-collapsed.txt': {
    format: 'folded',
    samples: 45,
    threads: [{ tid: 8 }, { tid: 9 }],
    stacks: [
      'thread (8);Bridge.run (bridge.py:90);Bridge.step (bridge.py:41);<native> 30',
      'thread (8);Bridge.run (bridge.py:90);Publisher.publish (publisher.py:70) 12',
      'thread (8);_find_and_load (<frozen importlib._bootstrap>:1379) 2',
      'thread (9);Thread._bootstrap (threading.py:1030);<GC> 1',
    ],
  },
  'report-math/01-threads-over-100.txt': {
    format: 'pyspy-raw',
    samples: 1930,
    threads: [
      { tid: 1, name: 'MainThread' },
      { tid: 2, name: 'lidar' },
      { tid: 3, name: 'pub' },
      { tid: 4, name: 'pool' },
    ],
    stacks: [
      'thread (1): MainThread;run (b.py:1);step (b.py:2) 500',
      'thread (4): pool;acquire (logging/__init__.py:900) 500',
      'thread (2): lidar;cast (b.py:9) 480',
      'thread (3): pub;publish (rclpy/publisher.py:70) 450',
    ],
  },
  'report-math/02-ties-and-order.txt': {
    format: 'folded',
    samples: 35,
    stacks: ['a;x 10', 'a;y 10', 'a;z 10', 'a;w 5'],
  },
  'report-math/04-rtf-not-from-profile.txt': {
    format: 'pyspy-raw',
    samples: 100,
    stacks: ['run (b.py:1);pace (pacer.py:31) 50', 'run (b.py:1);step (b.py:2) 50'],
  },
  'classify/01-pacer-vs-dds-sleep.txt': {
    format: 'pyspy-raw',
    samples: 190,
    threads: [{ name: 'MainThread' }, { name: 'dds.ev' }],
    stacks: [
      'dds.ev;clone3 (libc.so.6);start_thread (libc.so.6);eprosima::fastrtps::rtps::ResourceEvent::event_service (libfastrtps.so.2.6);clock_nanosleep (libc.so.6) 100',
      'MainThread;<module> (bridge.py:90);run (bridge.py:78);step (bridge.py:41);mj_step (libmujoco.so.3.2.0) 50',
      'MainThread;<module> (bridge.py:90);run (bridge.py:80);pace (pacer.py:31);clock_nanosleep (libc.so.6) 40',
    ],
  },
  'classify/03-python-sleep-has-no-frame.txt': {
    format: 'pyspy-raw',
    samples: 100,
    stacks: [
      '<module> (bridge.py:90);run (bridge.py:80);pace (pacer.py:31) 60',
      '<module> (bridge.py:90);run (bridge.py:78);step (bridge.py:41) 40',
    ],
  },
  'classify/04-gil-wait.txt': {
    format: 'pyspy-raw',
    samples: 90,
    threads: [{}, { name: 'other threads' }],
    stacks: [
      '<module> (bridge.py:90);run (bridge.py:78);step (bridge.py:41);mj_step (mujoco/_functions.so);mj_forward (libmujoco.so.3.2.0) 40',
      '<module> (bridge.py:90);run (bridge.py:78);step (bridge.py:41);mj_step (mujoco/_functions.so);PyEval_RestoreThread (libpython3.11.so.1.0);take_gil (libpython3.11.so.1.0);pthread_cond_timedwait@@GLIBC_2.3.2 (libc.so.6) 30',
      'thread (?): other threads;_bootstrap (threading.py:1002);spin (rclpy/executors.py:295);take_gil (libpython3.11.so.1.0);sched_yield (libc.so.6) 20',
    ],
  },
  'classify/06-publish-blocks.txt': {
    format: 'pyspy-raw',
    samples: 100,
    stacks: [
      'run (bridge.py:78);step (bridge.py:41);mj_step (libmujoco.so.3.2.0) 55',
      'run (bridge.py:78);publish_img (bridge.py:121);publish (rclpy/publisher.py:70);rcl_publish (librcl.so);rmw_publish (librmw_cyclonedds_cpp.so);dds_write (libddsc.so);throttle_writer (libddsc.so);ddsrt_cond_waituntil (libddsc.so);pthread_cond_clockwait (libc.so.6) 45',
    ],
  },
  'classify/07-executor-overhead.txt': {
    format: 'pyspy-raw',
    samples: 100,
    threads: [{}, { name: 'other threads' }],
    stacks: [
      `${SPIN_ONCE};_spin_once_impl (rclpy/executors.py:794);wait_for_ready_callbacks (rclpy/executors.py:723);_wait_for_ready_callbacks (rclpy/executors.py:582);handle (rclpy/guard_condition.py:38) 40`,
      'thread (?): other threads;_bootstrap (threading.py:973);_bootstrap_inner (threading.py:1016);run (threading.py:953);_worker (concurrent/futures/thread.py:81) 30',
      `${SPIN_ONCE};_spin_once_impl (rclpy/executors.py:800);_on_clock (rclpy/time_source.py:105) 20`,
      `${SPIN_ONCE};_spin_once_impl (rclpy/executors.py:800);on_cmd (node.py:20) 10`,
    ],
  },
  'classify/10-render-on-loop-thread.txt': {
    format: 'pyspy-raw',
    samples: 300,
    threads: [{}, { name: 'llvmpipe-3' }],
    stacks: [
      'llvmpipe-3;clone3 (libc.so.6);[swrast_dri.so] (swrast_dri.so) 200',
      'run (bridge.py:78);render (mujoco/renderer.py:150);mjr_render (libmujoco.so.3.2.0);[libgallium-24.so] (libgallium-24.so) 40',
      'run (bridge.py:78);step (bridge.py:41) 30',
      'run (bridge.py:78);sync (mujoco/viewer.py:180) 30',
    ],
  },
  'classify/11-name-collisions.txt': {
    format: 'pyspy-raw',
    samples: 100,
    stacks: [
      'main (agent.py:1);publish (paho/mqtt/client.py:1200) 25',
      'main (train.py:1);step (torch/optim/adam.py:150) 25',
      'main (x.py:1);sleep (asyncio/tasks.py:605) 25',
      'main (x.py:1);wait (multiprocessing/connection.py:947) 25',
    ],
  },
};

/** Fixtures that give an error instead: tested with the errors. */
const REFUSED = ['pyspy-raw/10-empty.txt', 'foreign-folded/03-differential.txt'];

async function read(name: string): Promise<Profile> {
  return readProfile([fixture(name)], { path: name });
}

function leafOf(profile: Profile): Frame | undefined {
  const stack = heaviestStacks(profile, 1)[0]?.stack ?? -1;
  return profile.frames[framesOf(profile, stack).at(-1) ?? -1];
}

describe('fixtures', () => {
  it('cover every file of their folders', () => {
    const folders = ['classify', 'foreign-folded', 'pyspy-raw', 'report-math'];
    const files = folders.flatMap((folder) =>
      readdirSync(new URL(`../fixtures/${folder}/`, import.meta.url)).map((file) => `${folder}/${file}`),
    );
    expect(files.sort()).toEqual([...Object.keys(EXPECTED), ...REFUSED].sort());
  });

  for (const [name, expected] of Object.entries(EXPECTED)) {
    describe(name, () => {
      it('gives its samples, stacks, threads and losses', async () => {
        const profile = await read(name);
        expect(profile.origin).toEqual({ format: expected.format, path: name });
        expect(totalWeight(profile)).toBe(expected.samples);
        expect([...foldedLines(profile)]).toEqual(expected.stacks);
        expect(profile.threads).toEqual(expected.threads ?? [{}]);
        const lost = expected.lost ?? [];
        expect(profile.lost).toEqual({ samples: 0, lines: lost.length, examples: lost });
        expect(checkProfile(profile)).toEqual([]);
      });

      it('is claimed with certainty by one format', () => {
        const sure = FORMATS.filter((format) => format.sniff(fixture(name)) === 'yes');
        expect(sure.map((format) => format.id)).toEqual([expected.format]);
      });

      it.each([1, 7, 65_536])('is the same in chunks of %i bytes', async (size) => {
        const chunked = await readProfile(inChunks(fixture(name), size), { path: name });
        expect(chunked).toEqual(await read(name));
        const long = beyondHead(fixture(name));
        const twice = await readProfile(inChunks(long, size), { path: name });
        expect(twice).toEqual(await readProfile([long], { path: name }));
        expect([...foldedLines(twice)]).toEqual(
          expected.stacks.map((line) => line.replace(/\d+$/, (count) => String(Number(count) * 2))),
        );
      });

      it('is the same when it is written and read again', async () => {
        const profile = await read(name);
        const text = [...FORMATS.find((format) => format.id === 'folded')!.write!(profile)].join('');
        expect(meaning(await readProfile([bytes(text)], {}))).toEqual(meaning(spelled(profile)));
      });

      it('does not depend on the order of its lines', async () => {
        // A name with a line end ties two lines together.
        if (/02|03/.test(name) && name.startsWith('pyspy-raw')) return;
        const text = new TextDecoder().decode(fixture(name)).replace(/\r?\n$/, '');
        const turned = `${text.split(/\r?\n/).toReversed().join('\n')}\n`;
        const other = await readProfile([bytes(turned)], { path: name });
        expect([...foldedLines(other)]).toEqual(expected.stacks);
        expect(meaning(other)).toEqual(meaning(await read(name)));
      });
    });
  }
});

describe('frames of the fixtures', () => {
  it('are told apart as Python, native source and library', async () => {
    const profile = await read('pyspy-raw/08-native-frames.txt');
    expect(profile.frames).toContainEqual({ name: 'mj_step', kind: 'native', module: 'libmujoco.so.3.2.0' });
    expect(profile.frames).toContainEqual({
      name: 'mj_solNewton',
      kind: 'native',
      file: 'engine/engine_solver.c',
      line: 1822,
    });
    expect(profile.frames).toContainEqual({
      name: 'std::function<void (int)>::operator()(int) const',
      kind: 'native',
      module: 'libfastrtps.so.2.6',
    });
    expect(profile.frames).toContainEqual({ name: 'step', kind: 'python', file: 'bridge.py', line: 41 });
  });

  it('keep a file name with a semicolon in one piece', async () => {
    expect(leafOf(await read('pyspy-raw/01-semicolon-in-filename.txt'))).toEqual({
      name: 'spin',
      kind: 'python',
      file: 'cell; rm.py',
      line: 5,
    });
  });

  it('mark a docstring in place of a name as corrupt, and nothing else', async () => {
    const profile = await read('pyspy-raw/03-docstring-frame.txt');
    expect(profile.frames.filter((frame) => frame.corrupt)).toEqual([
      { name: DOCSTRING, kind: 'python', file: 'nodes/stmt.py', line: 88, corrupt: true },
    ]);
  });

  it('do not show the interpreter trampoline', async () => {
    const profile = await read('pyspy-raw/06-special-names.txt');
    expect(profile.frames.map((frame) => frame.name)).not.toContain('<interpreter trampoline>');
  });

  it('take file, function and line of Tachyon apart, and its markers as markers', async () => {
    const profile = await read('foreign-folded/01-tachyon-collapsed.txt');
    expect(profile.frames).toContainEqual({
      name: 'Bridge.step',
      kind: 'python',
      file: 'bridge.py',
      line: 41,
    });
    expect(profile.frames.filter((frame) => frame.kind === 'marker')).toEqual([
      { name: '<native>', kind: 'marker' },
      { name: '<GC>', kind: 'marker' },
    ]);
  });

  it('are counted once per sample under recursion', async () => {
    const profile = await read('pyspy-raw/15-recursion.txt');
    expect(selfAndTotal(profile, (frame) => frame.name)).toEqual([
      { key: 'build', self: 8, total: 8 },
      { key: 'idle', self: 2, total: 2 },
      { key: 'main', self: 0, total: 10 },
    ]);
  });

  it('add up by function and by line', async () => {
    const profile = await read('pyspy-raw/16-lines-of-one-function.txt');
    const self = (keyOf: (frame: Frame) => string) =>
      selfAndTotal(profile, keyOf).map((row) => [row.key, row.self]);
    expect(self((frame) => frame.name)).toEqual([
      ['cast', 60],
      ['pub', 30],
      ['__init__', 10],
      ['loop', 0],
    ]);
    expect(self((frame) => `${frame.name}:${frame.line}`)[0]).toEqual(['pub:70', 30]);
  });

  it('are shared when two recordings of one program are merged', async () => {
    const one = await read('report-math/01-threads-over-100.txt');
    const both = mergeProfiles([one, one], { format: 'recording' });
    expect([both.frames.length, both.threads.length, totalWeight(both)]).toEqual([5, 4, 3860]);
  });
});
