import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FORMATS, readProfile } from '../../src/formats/index.js';
import { checkProfile, foldedLines, framesOf, totalWeight } from '../../src/model/index.js';
import type { Frame, Profile } from '../../src/model/index.js';
import { beyondHead, fixture, inChunks, meaning } from './reading.js';

interface Expected {
  readonly samples: number;
  /** Folded lines, heaviest first. */
  readonly stacks: readonly string[];
  readonly threads: Profile['threads'];
  readonly lost?: readonly string[];
  /** Level and first sentence of each, beside the note that samples are of CPU time. */
  readonly findings?: readonly string[];
  readonly cpuTime?: true;
  /** Milliseconds since the earliest sample. */
  readonly timesMs?: readonly number[];
}

const EXPECTED: Readonly<Record<string, Expected>> = {
  'frames-01-cpp-function-type-in-template.txt': {
    samples: 1,
    stacks: [
      'thread (4200): bridge;main (bridge);std::_Function_handler<void (sim::Scan&), run(int, char**)::{lambda()#1}::operator()() const::{lambda(sim::Scan&)#1}>::_M_invoke (bridge) 1',
    ],
    threads: [
      {
        tid: 4200,
        name: 'bridge',
      },
    ],
    cpuTime: true,
    timesMs: [0],
  },
  'frames-02-cpp-enum-template.txt': {
    samples: 1,
    stacks: [
      'thread (4200): bridge;main (bridge);ring<(Mode)1>::push (bridge);ring<(Mode)0>::push (bridge) 1',
    ],
    threads: [
      {
        tid: 4200,
        name: 'bridge',
      },
    ],
    cpuTime: true,
    timesMs: [0],
  },
  'frames-04-cpp-operator-arrow.txt': {
    samples: 1,
    stacks: [
      'thread (4200): bridge;main (bridge);operator() (bridge);Vec3::operator+ (bridge);std::unique_ptr<Node>::operator-> (bridge) 1',
    ],
    threads: [
      {
        tid: 4200,
        name: 'bridge',
      },
    ],
    cpuTime: true,
    timesMs: [0],
  },
  'frames-05-java-semicolon.txt': {
    samples: 1,
    stacks: ['thread (4200): java;Lcom/sim/Loop:::run ([JIT]);Lcom/sim/Pub:::send ([JIT]) 1'],
    threads: [
      {
        tid: 4200,
        name: 'java',
      },
    ],
    cpuTime: true,
    timesMs: [0],
  },
  'frames-07-dso-space.txt': {
    samples: 1,
    stacks: ['thread (4200): bridge;__libc_start_call_main (libc.so.6);physics_step (sim) 1'],
    threads: [
      {
        tid: 4200,
        name: 'bridge',
      },
    ],
    cpuTime: true,
    timesMs: [0],
  },
  'frames-10-unknown-symbols.txt': {
    samples: 2,
    stacks: [
      'thread (4200): bridge;[unknown];[libc-2.15.so] (libc-2.15.so);[unknown];[libmujoco.so.3.2.0] (libmujoco.so.3.2.0) 1',
      'thread (4200): bridge;[unknown];[libfastrtps.so.2.6] (libfastrtps.so.2.6) 1',
    ],
    threads: [
      {
        tid: 4200,
        name: 'bridge',
      },
    ],
    findings: [
      'warning: 2 of 2 samples (100.0 %) end in code without symbols: [libfastrtps.so.2.6] 1, [libmujoco.so.3.2.0] 1.',
    ],
    cpuTime: true,
    timesMs: [0, 0],
  },
  'frames-11-inlined.txt': {
    samples: 1,
    stacks: [
      'thread (4200): bridge;main (bridge);mj_solNewton (libmujoco.so.3.2.0);mju_dot3 (libmujoco.so.3.2.0) 1',
    ],
    threads: [
      {
        tid: 4200,
        name: 'bridge',
      },
    ],
    cpuTime: true,
    timesMs: [0],
  },
  'frames-13-huge-symbol.txt': {
    samples: 1,
    stacks: [
      'thread (4200): bridge;main (bridge);void Eigen::internal::call<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<Eigen::CwiseBinaryOp<double>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>(int) (bridge) 1',
    ],
    threads: [
      {
        tid: 4200,
        name: 'bridge',
      },
    ],
    cpuTime: true,
    timesMs: [0],
  },
  'frames-14-markup-characters.txt': {
    samples: 1,
    stacks: ['thread (4200): node;main (bridge);RegExp:[&<>"\\\']{2}:</script> 1'],
    threads: [
      {
        tid: 4200,
        name: 'node',
      },
    ],
    cpuTime: true,
    timesMs: [0],
  },
  'headers-01-comm-with-number.txt': {
    samples: 2,
    stacks: ['thread (4121): lidar 360;main (bridge);cast_rays (libsim.so) 2'],
    threads: [
      {
        tid: 4121,
        name: 'lidar 360',
      },
    ],
    cpuTime: true,
    timesMs: [0, 10.101],
  },
  'headers-03-comm-looks-like-header.txt': {
    samples: 5,
    stacks: [
      'thread (4124): CUPS 1/2 [003];main (bridge);cast_rays (libsim.so) 1',
      'thread (4125): x/12;main (bridge);cast_rays (libsim.so) 1',
      'thread (4126): cycles:u:;main (bridge);cast_rays (libsim.so) 1',
      'thread (4127): 123;main (bridge);cast_rays (libsim.so) 1',
      'thread (4128): 7 8;main (bridge);cast_rays (libsim.so) 1',
    ],
    threads: [
      {
        tid: 4124,
        name: 'CUPS 1/2 [003]',
      },
      {
        tid: 4125,
        name: 'x/12',
      },
      {
        tid: 4126,
        name: 'cycles:u:',
      },
      {
        tid: 4127,
        name: '123',
      },
      {
        tid: 4128,
        name: '7 8',
      },
    ],
    cpuTime: true,
    timesMs: [0, 10, 20, 30, 40],
  },
  'headers-04-comm-newline.txt': {
    samples: 2,
    stacks: [
      'thread (4129): dar;main (bridge);cast_rays (libsim.so) 1',
      'thread (4130): lidar;main (bridge);cast_rays (libsim.so) 1',
    ],
    threads: [
      {
        tid: 4129,
        name: 'dar',
      },
      {
        tid: 4130,
        name: 'lidar',
      },
    ],
    lost: ['line 1: not understood: li'],
    cpuTime: true,
    timesMs: [0, 10],
  },
  'headers-06-comm-semicolon.txt': {
    samples: 1,
    stacks: ['thread (4134): a;b;main (bridge);cast_rays (libsim.so) 1'],
    threads: [
      {
        tid: 4134,
        name: 'a;b',
      },
    ],
    cpuTime: true,
    timesMs: [0],
  },
  'headers-07-header-shapes.txt': {
    samples: 5,
    stacks: [
      'thread (4140): bridge;main (bridge);cast_rays (libsim.so) 3',
      'thread (4141): bridge;main (bridge);cast_rays (libsim.so) 2',
    ],
    threads: [
      {
        tid: 4140,
        name: 'bridge',
      },
      {
        tid: 4141,
        name: 'bridge',
      },
    ],
    cpuTime: true,
    timesMs: [0, 10, 20, 30, 40],
  },
  'headers-08-no-timestamp.txt': {
    samples: 2,
    stacks: ['thread (4150): bridge;main (bridge);cast_rays (libsim.so) 2'],
    threads: [
      {
        tid: 4150,
        name: 'bridge',
      },
    ],
    cpuTime: true,
  },
  'headers-09-no-comm-no-cpu.txt': {
    samples: 1,
    stacks: ['thread (4160);main (bridge);cast_rays (libsim.so) 1'],
    threads: [
      {
        tid: 4160,
      },
    ],
    cpuTime: true,
    timesMs: [0],
  },
  'headers-11-tracepoint-args.txt': {
    samples: 2,
    stacks: [
      'thread (4180): bridge 1',
      'thread (4180): bridge;main (bridge);__futex_abstimed_wait (libc.so.6) 1',
    ],
    threads: [
      {
        tid: 4180,
        name: 'bridge',
      },
    ],
    findings: ['note: Shares are of occurrences of event syscalls:sys_enter_futex, not of time.'],
    timesMs: [0, 0.003],
  },
  'real-fields-all.txt': {
    samples: 4,
    stacks: [
      'process 8928:"";thread (8928): sim bin;__libc_start_call_main (libc.so.6);main (sim bin);physics_step (sim bin);cast_rays (sim bin) 2',
      'process 0:"";thread (0): swapper;common_startup_64_[k];x86_64_start_kernel_[k];__pfx_clear_bss_[k];start_kernel_[k];rest_init_[k];cpu_startup_entry_[k];do_idle_[k];cpuidle_enter_[k];cpuidle_enter_state_[k];default_enter_idle_[k];default_idle_[k];pv_native_safe_halt_[k] 1',
      'process 8928:"";thread (8928): sim bin;__libc_start_call_main (libc.so.6);main (sim bin);physics_step (sim bin) 1',
    ],
    threads: [
      {
        tid: 8928,
        name: 'sim bin',
        pid: 8928,
      },
      {
        tid: 0,
        name: 'swapper',
        pid: 0,
      },
    ],
    cpuTime: true,
    timesMs: [0, 10.099, 20.2, 404.045],
  },
  'real-fields-no-event-no-time.txt': {
    samples: 4,
    stacks: [
      'thread (7813): sim bin;__libc_start_call_main (libc.so.6);main (sim bin);physics_step (sim bin) 3',
      'thread (7815): lidar 360;do_nanosleep_[k];schedule_[k];__schedule_[k];finish_task_switch.isra.0_[k] 1',
    ],
    threads: [
      {
        tid: 7813,
        name: 'sim bin',
      },
      {
        tid: 7815,
        name: 'lidar 360',
      },
    ],
  },
  'real-fields-no-stack.txt': {
    samples: 20,
    stacks: ['thread (7813): sim bin 18', 'thread (7815): lidar 360 2'],
    threads: [
      {
        tid: 7813,
        name: 'sim bin',
      },
      {
        tid: 7815,
        name: 'lidar 360',
      },
    ],
    cpuTime: true,
    timesMs: [
      0, 16.98, 42.025, 53.606, 55.073, 68.115, 81.148, 98.159, 107.206, 107.221, 133.051, 139.77, 149.05,
      162.544, 167.797, 183.541, 190.589, 200.254, 210.654, 214.489,
    ],
  },
  'real-fields-tid-no-library.txt': {
    samples: 4,
    stacks: [
      'thread (7813);__libc_start_call_main (?);main (?);physics_step (?) 3',
      'thread (7815);entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];__x64_sys_clock_nanosleep_[k];common_nsleep_[k];hrtimer_nanosleep_[k];do_nanosleep_[k];schedule_[k];__schedule_[k];finish_task_switch.isra.0_[k] 1',
    ],
    threads: [
      {
        tid: 7813,
      },
      {
        tid: 7815,
      },
    ],
    cpuTime: true,
    timesMs: [0, 16.98, 42.025, 53.606],
  },
  'real-no-call-graph.txt': {
    samples: 11,
    stacks: [
      'thread (26839): sim bin;cast_rays (sim bin) 5',
      'thread (26839): sim bin;physics_step (sim bin) 3',
      'thread (26859): lidar 360;physics_step (sim bin) 2',
      'thread (26859): lidar 360;finish_task_switch.isra.0_[k] 1',
    ],
    threads: [
      {
        tid: 26839,
        name: 'sim bin',
      },
      {
        tid: 26859,
        name: 'lidar 360',
      },
    ],
    findings: [
      'warning: No call graph was recorded: each sample is one function without its callers.',
      'note: 3 samples of event page-faults ignored.',
    ],
    cpuTime: true,
    timesMs: [0, 21.692, 37.538, 41.433, 49.965, 60.201, 70.369, 80.557, 186.484, 330.068, 471.956],
  },
  'real-node-basic-prof.txt': {
    samples: 2,
    stacks: [
      'thread (27116): node;__libc_start_call_main (libc.so.6);node::Start (node);node::NodeMainInstance::Run (node);node::LoadEnvironment (node);node::StartExecution (node);node::StartExecution (node);node::Realm::ExecuteBootstrapper (node);node::builtins::BuiltinLoader::CompileAndCall (node);v8::Function::Call (node);v8::internal::Execution::Call (node);v8::internal::(anonymous namespace)::Invoke (node);Builtins_JSEntry (node);Builtins_JSEntryTrampoline (node);(anonymous) (node:internal/main/run_main_module:1);executeUserEntryPoint (node:internal/modules/run_main:155);Module._load (node:internal/modules/cjs/loader:1003);Module.load (node:internal/modules/cjs/loader:1257);Module._extensions..js (node:internal/modules/cjs/loader:1604);Module._compile (node:internal/modules/cjs/loader:1483);(anonymous) (/opt/robot/w.js:1);main (/opt/robot/w.js:3);publish (/opt/robot/w.js:2);Builtins_ArrayFrom (node);Builtins_CEntry_Return1_ArgvOnStack_NoBuiltinExit (node);v8::internal::Runtime_GetProperty (node);v8::internal::Runtime::GetObjectProperty (node) 1',
      'thread (27116): node;__libc_start_call_main (libc.so.6);node::Start (node);node::NodeMainInstance::Run (node);node::LoadEnvironment (node);node::StartExecution (node);node::StartExecution (node);node::Realm::ExecuteBootstrapper (node);node::builtins::BuiltinLoader::CompileAndCall (node);v8::Function::Call (node);v8::internal::Execution::Call (node);v8::internal::(anonymous namespace)::Invoke (node);Builtins_JSEntry (node);Builtins_JSEntryTrampoline (node);(anonymous) (node:internal/main/run_main_module:1);executeUserEntryPoint (node:internal/modules/run_main:155);Module._load (node:internal/modules/cjs/loader:1003);Module.load (node:internal/modules/cjs/loader:1257);Module._extensions..js (node:internal/modules/cjs/loader:1604);Module._compile (node:internal/modules/cjs/loader:1483);(anonymous) (/opt/robot/w.js:1);main (/opt/robot/w.js:3);step (/opt/robot/w.js:1) 1',
    ],
    threads: [
      {
        tid: 27116,
        name: 'node',
      },
    ],
    cpuTime: true,
    timesMs: [0, 32.338],
  },
  'real-python-trampolines.txt': {
    samples: 1,
    stacks: ['thread (26984): python3.12;[unknown];publish.<locals>.<genexpr> (/opt/robot/w.py) 1'],
    threads: [
      {
        tid: 26984,
        name: 'python3.12',
      },
    ],
    cpuTime: true,
    timesMs: [0],
  },
  'real-sched-switch.txt': {
    samples: 3,
    stacks: [
      'thread (11536): sim bin;__libc_start_call_main (libc.so.6);main (sim bin);physics_step (sim bin) 2',
      'thread (11536): sim bin;__libc_start_call_main (libc.so.6);main (sim bin);physics_step (sim bin);cast_rays (sim bin) 1',
    ],
    threads: [
      {
        tid: 11536,
        name: 'sim bin',
      },
    ],
    findings: ['note: 3 samples of event sched:sched_switch ignored.'],
    cpuTime: true,
    timesMs: [0, 12.137, 26.406],
  },
  'real-srcline.txt': {
    samples: 5,
    stacks: [
      'thread (7813): sim bin;__libc_start_call_main (libc-start.c:74);main (a.c:11);physics_step (a.c:9) 3',
      'thread (7813): sim bin;__libc_start_call_main (libc-start.c:74);main (a.c:11);physics_step (a.c:9);cast_rays (a.c:8) 1',
      'thread (7815): lidar 360;start_thread (pthread_create.c:442);clock_nanosleep@GLIBC_2.2.5 (clock_nanosleep.c:48);entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];__x64_sys_clock_nanosleep_[k];common_nsleep_[k];hrtimer_nanosleep_[k];do_nanosleep_[k];schedule_[k];__schedule_[k];finish_task_switch.isra.0_[k] 1',
    ],
    threads: [
      {
        tid: 7813,
        name: 'sim bin',
      },
      {
        tid: 7815,
        name: 'lidar 360',
      },
    ],
    cpuTime: true,
    timesMs: [0, 16.98, 42.025, 53.606, 55.073],
  },
  'real-switch-events.txt': {
    samples: 2,
    stacks: [
      'thread (7813): sim bin;__libc_start_call_main (libc.so.6);main (sim bin);physics_step (sim bin) 2',
    ],
    threads: [
      {
        tid: 7813,
        name: 'sim bin',
      },
    ],
    cpuTime: true,
    timesMs: [0, 16.98],
  },
  'structure-01-last-stack-without-blank-line.txt': {
    samples: 2,
    stacks: ['thread (4300): bridge;main (bridge);cast_rays (libsim.so) 2'],
    threads: [
      {
        tid: 4300,
        name: 'bridge',
      },
    ],
    cpuTime: true,
    timesMs: [0, 10],
  },
  'structure-02-single-line-stacks.txt': {
    samples: 2,
    stacks: ['thread (4301): false;[unknown] 1', 'thread (4301): false;physics_step (sim bin) 1'],
    threads: [
      {
        tid: 4301,
        name: 'false',
      },
    ],
    findings: [
      'warning: No call graph was recorded: each sample is one function without its callers.',
      'warning: 1 of 2 samples (50.0 %) end in code without symbols: [unknown] 1.',
    ],
    cpuTime: true,
    timesMs: [0, 10],
  },
  'structure-06-two-event-types.txt': {
    samples: 2,
    stacks: ['thread (4303): bridge;main (bridge);cast_rays (libsim.so) 2'],
    threads: [
      {
        tid: 4303,
        name: 'bridge',
      },
    ],
    findings: ['note: 1 sample of event page-faults ignored.'],
    cpuTime: true,
    timesMs: [0, 10],
  },
  'structure-08-idle-gap.txt': {
    samples: 3,
    stacks: [
      'thread (4305): bridge;main (bridge);cast_rays (libsim.so) 2',
      'thread (4305): bridge;main (bridge);pub (bridge) 1',
    ],
    threads: [
      {
        tid: 4305,
        name: 'bridge',
      },
    ],
    cpuTime: true,
    timesMs: [0, 10, 5010],
  },
  'structure-09-out-of-order-times.txt': {
    samples: 2,
    stacks: [
      'thread (4306): bridge;main (bridge);cast_rays (libsim.so) 1',
      'thread (4306): bridge;main (bridge);pub (bridge) 1',
    ],
    threads: [
      {
        tid: 4306,
        name: 'bridge',
      },
    ],
    cpuTime: true,
    timesMs: [10, 0],
  },
  'structure-11-truncated.txt': {
    samples: 1,
    stacks: ['thread (4308): bridge;main (bridge);cast_rays (libsim.so) 1'],
    threads: [
      {
        tid: 4308,
        name: 'bridge',
      },
    ],
    lost: ['line 6: input ends in the middle of a stack: 55d0c0a01145 cast_rays+0x2c (/opt/si'],
    findings: ['warning: The input ends in the middle of a stack.'],
    cpuTime: true,
    timesMs: [0],
  },
  'structure-12-noise-lines.txt': {
    samples: 3,
    stacks: [
      'thread (4309): bridge;main (bridge);cast_rays (libsim.so) 2',
      'thread (4309): bridge;main (bridge) 1',
    ],
    threads: [
      {
        tid: 4309,
        name: 'bridge',
      },
    ],
    lost: [
      "line 1: not understood: WARNING: The /tmp/perf-x.data file's data size field is 0 which is unexpected.",
      "line 2: not understood: Was the 'perf record' command properly terminated?",
      'line 7: lost data, as perf says: instruction trace error type 1 time 4525.744123981 cpu 0 pid 21595 tid 21595 ip 0 code 8: Lost trace data',
      'line 9: not understood: addr2line: DWARF error: section .debug_str is larger than its filesize!',
      'line 15: not understood: THIS_IS_A_WEIRD_LINE',
    ],
    findings: ['warning: perf says on 1 line that it lost data.'],
    cpuTime: true,
    timesMs: [0, 10, 20],
  },
};

/** Fixtures without samples: tested with the errors. */
const EMPTY = ['structure-03-empty.txt', 'structure-04-header-only.txt'];

function read(name: string): Promise<Profile> {
  return readProfile([fixture(`perf-script/${name}`)], { path: name });
}

/** Frames of the stack of one sample, root first. */
function stackOf(profile: Profile, row = 0): Frame[] {
  return framesOf(profile, profile.samples.stack[row]!).map((index) => profile.frames[index]!);
}

it('the fixtures are all of their folder', () => {
  const files = readdirSync(new URL('../fixtures/perf-script/', import.meta.url));
  expect(files.sort()).toEqual([...Object.keys(EXPECTED), ...EMPTY].sort());
});

describe.each(Object.entries(EXPECTED))('%s', (name, expected) => {
  it('gives its samples, stacks, threads, times, losses and findings', async () => {
    const profile = await read(name);
    expect(profile.origin).toEqual({ format: 'perf-script', path: name });
    expect(profile.unit).toBe('samples');
    expect(totalWeight(profile)).toBe(expected.samples);
    expect([...foldedLines(profile)]).toEqual(expected.stacks);
    expect(profile.threads).toEqual(expected.threads);
    const times = profile.samples.timeNs;
    expect(times && Array.from(times, (time) => Math.round(time / 1e3) / 1e3)).toEqual(expected.timesMs);
    const lost = expected.lost ?? [];
    expect(profile.lost).toEqual({ samples: 0, lines: lost.length, examples: lost });
    const findings = profile.findings ?? [];
    expect(
      findings.filter(({ id }) => id !== 'cpu-time-only').map(({ level, what }) => `${level}: ${what}`),
    ).toEqual(expected.findings ?? []);
    expect(findings.some(({ id }) => id === 'cpu-time-only')).toBe(expected.cpuTime ?? false);
    expect(checkProfile(profile)).toEqual([]);
  });

  it('is claimed with certainty by one format', () => {
    const sure = FORMATS.filter((format) => format.sniff(fixture(`perf-script/${name}`)) === 'yes');
    const unsure = name === 'real-fields-no-stack.txt';
    expect(sure.map((format) => format.id)).toEqual(unsure ? [] : ['perf-script']);
  });

  it.each([1, 7, 4096])('is the same in chunks of %i bytes', async (size) => {
    const whole = fixture(`perf-script/${name}`);
    expect(await readProfile(inChunks(whole, size), { path: name })).toEqual(await read(name));
    // A cut end is cut once.
    const long = beyondHead(whole);
    const twice = await readProfile(inChunks(long, size), { path: name });
    expect(meaning(twice)).toEqual(meaning(await readProfile([long], { path: name })));
  });

  it('is the same with the line ends of a terminal', async () => {
    const text = new TextDecoder().decode(fixture(`perf-script/${name}`)).replaceAll('\n', '\r\n');
    const profile = await readProfile([new TextEncoder().encode(text)], { path: name });
    expect(profile).toEqual(await read(name));
  });
});

describe('frames of the fixtures', () => {
  it('keep a whole C++ name, without its offset, and the library', async () => {
    expect(stackOf(await read('frames-01-cpp-function-type-in-template.txt'))).toEqual([
      { name: 'main', kind: 'native', module: 'bridge' },
      {
        name: 'std::_Function_handler<void (sim::Scan&), run(int, char**)::{lambda()#1}::operator()() const::{lambda(sim::Scan&)#1}>::_M_invoke',
        kind: 'native',
        module: 'bridge',
      },
    ]);
  });

  it('are one each where a symbol holds a semicolon or markup', async () => {
    expect(stackOf(await read('frames-05-java-semicolon.txt'))).toEqual([
      { name: 'Lcom/sim/Loop;::run', kind: 'native', module: '[JIT]' },
      { name: 'Lcom/sim/Pub;::send', kind: 'native', module: '[JIT]' },
    ]);
    expect(stackOf(await read('frames-14-markup-characters.txt'))[1]).toEqual({
      name: String.raw`RegExp:[&<>"\']{2};</script>`,
      kind: 'js',
    });
  });

  it('keep a name of any length', async () => {
    const leaf = stackOf(await read('frames-13-huge-symbol.txt')).at(-1);
    expect(leaf?.name.length).toBe(1359);
    expect(leaf?.name.slice(-9)).toBe('>>>>(int)');
  });

  it('put inlined code into the library that it is inlined into', async () => {
    const profile = await read('frames-11-inlined.txt');
    expect(stackOf(profile).at(-1)).toEqual({
      name: 'mju_dot3',
      kind: 'native',
      module: 'libmujoco.so.3.2.0',
    });
    expect(profile.frames.map((frame) => frame.module)).not.toContain('inlined');
  });

  it('show code without symbols by its library', async () => {
    const profile = await read('frames-10-unknown-symbols.txt');
    expect(stackOf(profile)).toEqual([
      { name: '[unknown]', kind: 'unknown' },
      { name: '[libc-2.15.so]', kind: 'native', module: 'libc-2.15.so' },
      { name: '[unknown]', kind: 'unknown' },
      { name: '[libmujoco.so.3.2.0]', kind: 'native', module: 'libmujoco.so.3.2.0' },
    ]);
  });

  it('know the kernel, source lines, Python and JavaScript', async () => {
    const source = await read('real-srcline.txt');
    expect(source.frames).toContainEqual({
      name: 'main',
      kind: 'native',
      file: 'a.c',
      line: 11,
      module: 'sim bin',
    });
    expect(source.frames).toContainEqual({ name: 'finish_task_switch.isra.0', kind: 'kernel' });
    const python = await read('real-python-trampolines.txt');
    expect(stackOf(python).at(-1)).toEqual({
      name: 'publish.<locals>.<genexpr>',
      kind: 'python',
      file: '/opt/robot/w.py',
    });
    const node = await read('real-node-basic-prof.txt');
    expect(node.frames).toContainEqual({ name: 'publish', kind: 'js', file: '/opt/robot/w.js', line: 2 });
    expect(node.frames).toContainEqual({ name: '(anonymous)', kind: 'js', file: '/opt/robot/w.js', line: 1 });
  });
});
