import { describe, expect, it } from 'vitest';
import type { Frame } from '../../src/model/index.js';
import { isSourceLine, parseFrame, parseSourceLine } from '../../src/formats/perf-script-frame.js';

const native = (name: string, module?: string): Frame => ({
  name,
  kind: 'native',
  ...(module !== undefined && { module }),
});

describe('a line of a stack', () => {
  it.each<[string, Frame]>([
    ['7f00 mj_step+0x1c (/usr/lib/libmujoco.so.3.14.0)', native('mj_step', 'libmujoco.so.3.14.0')],
    ['7f00 physics_step+0xc (/opt/My Sim (v2)/sim bin)', native('physics_step', 'sim bin')],
    ['7f00 physics_step (/opt/My Sim (v2)/sim bin)', native('physics_step', 'sim bin')],
    ['7f00 (anonymous namespace)::wait+0x5 (/a/sim)', native('(anonymous namespace)::wait', 'sim')],
    ['7f00 Vec3::operator++0x1c (/a/sim)', native('Vec3::operator+', 'sim')],
    ['7f00 f+0x10+0x1c (/a/sim)', native('f+0x10', 'sim')],
    ['7f00 run(void (*)(int)) (/a/sim)', native('run(void (*)(int))', 'sim')],
    // What a compiler appends stays: rules compare without it, and it tells two bodies apart.
    ['7f00 mj_solNewton.constprop.0+0x4 (/a/sim)', native('mj_solNewton.constprop.0', 'sim')],
    ['7f00 f.isra.0.part.1.cold+0x4 (/a/sim)', native('f.isra.0.part.1.cold', 'sim')],
    [
      '7f00 PyInit+0x4 (/venv/lib/python3.12/site-packages/mujoco/_functions.so)',
      native('PyInit', 'mujoco/_functions.so'),
    ],
    ['7f00 f+0x4 (/a/libold.so (deleted))', native('f', 'libold.so')],
    ['7f00 [unknown] (/a/libold.so (deleted))', native('[libold.so]', 'libold.so')],
    ['7f00 __vdso_clock_gettime+0x4 ([vdso])', native('__vdso_clock_gettime', '[vdso]')],
    ['7f00 [unknown] ([vdso])', native('[vdso]', '[vdso]')],
    ['7f00 [unknown] ([heap])', native('[heap]', '[heap]')],
    ['7f00  (/lib/libc-2.15.so)', native('[libc-2.15.so]', 'libc-2.15.so')],
    ['7f00 [unknown] ([unknown])', { name: '[unknown]', kind: 'unknown' }],
    ['7f00', { name: '[unknown]', kind: 'unknown' }],
    ['7f00 main', native('main')],
    ['ffffffff81000130 do_syscall_64+0x76 ([kernel.kallsyms])', { name: 'do_syscall_64', kind: 'kernel' }],
    ['ffffffff81000130 [unknown] ([kernel.kallsyms])', { name: '[kernel.kallsyms]', kind: 'kernel' }],
    ['ffffffffc0000130 nft_do_chain+0x76 ([nf_tables])', { name: 'nft_do_chain', kind: 'kernel' }],
    ['ffffffffc0000130 f+0x76 (/lib/modules/6.1/nf.ko.xz)', { name: 'f', kind: 'kernel' }],
    ['ffffffffff600000 gettimeofday+0x0 ([vsyscall])', native('gettimeofday', '[vsyscall]')],
    ['ffffffff81000130 do_syscall_64', { name: 'do_syscall_64', kind: 'kernel' }],
    ['7f00 [unknown] (/tmp/perf-4200.map)', native('[JIT]', '[JIT]')],
    ['7f00 Stub:x (//anon)', native('Stub:x', '[JIT]')],
    ['7f00 Builtin:CEntry (/tmp/perf-4200.map)', native('Builtin:CEntry', '[JIT]')],
    [
      '7f00 py::Engine.step:/opt/sim/engine.py+0x4 (/tmp/perf-4200.map)',
      { name: 'Engine.step', kind: 'python', file: '/opt/sim/engine.py' },
    ],
    [
      '7f00 py::Engine.step:/v/lib/python3.12/site-packages/roqsim/engine.py (/tmp/jitted-1-2.so)',
      { name: 'Engine.step', kind: 'python', file: 'roqsim/engine.py' },
    ],
    [
      '7f00 py::Thread.run:/usr/lib/python3.12/threading.py ([JIT] tid 5)',
      { name: 'Thread.run', kind: 'python', file: 'threading.py' },
    ],
    ['7f00 py::<module>:<string>', { name: '<module>', kind: 'python', file: '<string>' }],
    ['7f00 py::handle::inc_ref+0x4 (/a/_core.so)', native('py::handle::inc_ref', '_core.so')],
    [
      '7f00 LazyCompile:*step /opt/my sim/a.js:10:20 (/tmp/perf-1.map)',
      { name: 'step', kind: 'js', file: '/opt/my sim/a.js', line: 10 },
    ],
    [
      '7f00 JS:~get size node:internal/x:3:7 (/tmp/perf-1.map)',
      { name: 'get size', kind: 'js', file: 'node:internal/x', line: 3 },
    ],
    [
      '7f00 JS:^step file:///opt/a.mjs:10:20 (/tmp/perf-1.map)',
      { name: 'step', kind: 'js', file: '/opt/a.mjs', line: 10 },
    ],
    [
      '7f00 JS:~ /opt/a.js:1:1+0xdc (/tmp/perf-1.map)',
      { name: '(anonymous)', kind: 'js', file: '/opt/a.js', line: 1 },
    ],
    [
      '7f00 Interpreter:loop /opt/a.js:5 (/tmp/perf-1.map)',
      { name: 'loop', kind: 'js', file: '/opt/a.js', line: 5 },
    ],
    [
      '7f00 Script:~/opt/a.js:1:1 (/tmp/perf-1.map)',
      { name: '(anonymous)', kind: 'js', file: '/opt/a.js', line: 1 },
    ],
    ['7f00 JS:*wasm-function[3] (/tmp/perf-1.map)', { name: 'wasm-function[3]', kind: 'js' }],
    ['7f00 JS:*publish /opt/b.js:2:1', { name: 'publish', kind: 'js', file: '/opt/b.js', line: 2 }],
  ])('%j', (text, frame) => {
    expect(parseFrame(text)?.frame).toEqual(frame);
  });

  it('says whether it is inlined', () => {
    expect(parseFrame('1145 mju_dot3 (inlined)')).toEqual({
      frame: native('mju_dot3'),
      inlined: true,
      whole: true,
    });
  });

  it.each(['', 'THIS', 'xyz main (/a)', '12345678901234567 main'])('is not %j', (text) => {
    expect(parseFrame(text)).toBeUndefined();
  });

  it('of hostile text takes no time to speak of', () => {
    for (const piece of [' (', '+0x1 (', ' (/', ')', '+0x1', 'py::', 'JS:~ ', ' /a:1', ':1:1', '(inlined)']) {
      const frame = parseFrame(`12 ${piece.repeat(100_000)} (/tmp/perf-1.map)`);
      expect(frame?.whole, piece).toBe(true);
    }
  });
});

it('a source line below a frame is read where perf knows it', () => {
  expect(parseSourceLine('  a b.c:12')).toEqual({ file: 'a b.c', line: 12 });
  expect(parseSourceLine('  a.c:12 (discriminator 3)')).toEqual({ file: 'a.c', line: 12 });
  for (const unknown of ['  ??:0', '  :0', '  libc.so.6[7f00]', '  [kernel.kallsyms][ffffffff813a2413]']) {
    expect([isSourceLine(unknown), parseSourceLine(unknown)]).toEqual([true, undefined]);
  }
  expect(isSourceLine('  addr2line: error')).toBe(false);
});
