import { describe, expect, it } from 'vitest';
import type { Frame } from '../../src/model/index.js';
import { comparableName } from '../../src/rules/frame-name.js';
import { compilePattern, frameFacts } from '../../src/rules/frame-pattern.js';
import { parseFoldedFrames } from '../../src/rules/folded-frames.js';
import { compileContains, compileGlob, compilePath, expandBraces } from '../../src/rules/glob.js';
import type { FramePattern } from '../../src/rules/index.js';

function failed(pattern: FramePattern, text: string): string | undefined {
  return compilePattern(pattern)(frameFacts(parseFoldedFrames(text)[0]!));
}

describe('names', () => {
  it.each([
    ['step', 'step', true],
    ['step', 'Engine.step', true],
    ['step', 'step_all', false],
    ['Engine.step', 'Engine.step', true],
    ['Engine.step', 'step', true],
    ['Engine.step', 'Outer.Engine.step', true],
    ['Engine.step', 'Other.step', false],
    ['Engine.step', 'MyEngine.step', false],
    ['Pacer.*', 'Pacer.wait', true],
    ['Pacer.*', 'wait', true],
    ['Pacer.*', 'Queue.wait', false],
    ['mj_*', 'mj_step', true],
    ['mj_*', 'amj_step', false],
    ['<listcomp>', 'Foo.run.<locals>.<listcomp>', true],
  ])('pattern %s on %s: %s', (pattern, name, fits) => {
    expect(failed({ name: pattern }, `${name} (a.py:1)`)).toBe(fits ? undefined : 'name');
  });

  it.each([
    ['mj_solPrimal.llvm.11892358323405800045', 'mj_solPrimal'],
    ['pthread_cond_timedwait@@GLIBC_2.3.2', 'pthread_cond_timedwait'],
    ['mj_step@plt', 'mj_step'],
    ['f.constprop.0.isra.1.cold', 'f'],
    ['f.part.3', 'f'],
    ['gz::Step(int, std::vector<int> const&) const', 'gz::Step'],
    ['(anonymous namespace)::run(int)', '(anonymous namespace)::run'],
    ['Functor::operator()(int)', 'Functor::operator()'],
    ['.cold', '.cold'],
  ])('takes from %s what compilers append', (name, expected) => {
    expect(comparableName({ name, kind: 'native' })).toBe(expected);
  });

  it('leaves Python names and enormous names as they are', () => {
    expect(comparableName({ name: 'Machine.cold', kind: 'python' })).toBe('Machine.cold');
    const huge: Frame = { name: `${'x.cold'.repeat(100_000)}!`, kind: 'native' };
    expect(comparableName(huge)).toBe(huge.name);
  });
});

describe('paths', () => {
  it.each([
    ['roqsim/engine.py', 'roqsim/engine.py', true],
    ['roqsim/engine.py', '/opt/venv/lib/roqsim/engine.py', true],
    ['roqsim/engine.py', 'roqsim_sensors/coverage/engine.py', false],
    ['roqsim/engine.py', 'myroqsim/engine.py', false],
    ['*_msgs/msg/_*.py', 'sensor_msgs/msg/_laser_scan.py', true],
    ['*_msgs/msg/_*.py', 'sensor_msgs/msg/sub/_laser_scan.py', false],
    ['*/plugins/', 'roqsim_mobile/plugins/diff_drive.py', true],
    ['*/plugins/', 'a/plugins/deep/er/x.py', true],
    ['*/plugins/', 'plugins/x.py', false],
    ['*/plugins/', 'a/plugins', false],
    ['{a,b}/c.py', 'b/c.py', true],
    ['{a,b}/c.py', 'c/c.py', false],
    ['^*.py', 'sim.py', true],
    ['^*.py', 'pkg/sim.py', false],
    ['^pkg/', 'pkg/sim.py', true],
    ['^pkg/', 'x/pkg/sim.py', false],
    ['libmujoco.so*', 'mujoco/libmujoco.so.3.14.0', true],
  ])('pattern %s on %s: %s', (pattern, path, fits) => {
    expect(compilePath(pattern)(path.split('/'))).toBe(fits);
  });

  it('refuses a pattern that stands for too many', () => {
    expect(expandBraces('{a,b}{c,d}e')).toEqual(['ace', 'ade', 'bce', 'bde']);
    expect(() => expandBraces('{a,b}'.repeat(9))).toThrow(RangeError);
  });
});

describe('globs', () => {
  it('match in order and without overlap', () => {
    expect(compileGlob('a*b')('ab')).toBe(true);
    expect(compileGlob('aba*aba')('ababa')).toBe(false);
    expect(compileGlob('a*b*c')('a-c-b')).toBe(false);
    expect(compileContains('sleep(*dt')('time.sleep(self.dt)')).toBe(true);
    expect(compileContains('sleep(*dt')('dt = sleep(1)')).toBe(false);
  });

  it('stay quick on hostile text', () => {
    const text = 'a'.repeat(200_000);
    expect(compileGlob('*a*a*a*a*a*a*a*b')(text)).toBe(false);
  });
});

describe('the text of the line', () => {
  it('must be known for source, may be unknown for notSource', () => {
    expect(failed({ source: 'mj_step(' }, 'f (a.py:1) #mujoco.mj_step(m, d)')).toBeUndefined();
    expect(failed({ source: 'mj_step(' }, 'f (a.py:1)')).toBe('source');
    expect(failed({ notSource: 'mj_step(' }, 'f (a.py:1)')).toBeUndefined();
    expect(failed({ notSource: ['x', 'mj_step('] }, 'f (a.py:1) #mj_step(m, d)')).toBe('notSource');
    expect(failed({ sourceKnown: true }, 'f (a.py:1)')).toBe('sourceKnown');
    expect(failed({ sourceKnown: false }, 'f (a.py:1) #x')).toBe('sourceKnown');
  });
});

it('names the first field that fails, what identifies the frame before the text', () => {
  const pattern: FramePattern = { name: 'f', file: 'a.py', kind: 'python', source: 'x(' };
  expect(failed(pattern, 'f (libc.so.6)')).toBe('kind');
  expect(failed(pattern, 'g (b.py:1)')).toBe('file');
  expect(failed(pattern, 'g (a.py:1)')).toBe('name');
  expect(failed(pattern, 'f (a.py:1) #y()')).toBe('source');
});

describe('folded examples', () => {
  it('read files, libraries, bare names and the text of the line', () => {
    expect(
      parseFoldedFrames(
        '<module> (roqsim:8);step (a.py) #x = f(1) # now;g (mujoco/libmujoco.so.3.14.0);0x1 (?);v ([vdso]);main',
      ),
    ).toEqual([
      { name: '<module>', kind: 'python', file: 'roqsim', line: 8 },
      { name: 'step', kind: 'python', file: 'a.py', sourceText: 'x = f(1) # now' },
      { name: 'g', kind: 'native', module: 'mujoco/libmujoco.so.3.14.0' },
      { name: '0x1', kind: 'native', module: '?' },
      { name: 'v', kind: 'native', module: '[vdso]' },
      { name: 'main', kind: 'unknown' },
    ]);
  });

  it('refuse empty frames', () => {
    expect(() => parseFoldedFrames('a;;b')).toThrow('empty frame in "a;;b"');
    expect(() => parseFoldedFrames('')).toThrow(RangeError);
  });
});
