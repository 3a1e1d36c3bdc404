import { describe, expect, it } from 'vitest';
import {
  isNsysReport,
  nsysExport,
  nsysProfile,
  nsysStats,
  nsysYear,
  UNDER_NSYS,
} from '../../src/simulator/index.js';

const FLAGS = ['--trace=cuda,nvtx,osrt', '--cuda-graph-trace=node', '--force-overwrite=true', '--output'];

const plan = (command: readonly string[], output = 'outputs/gpu_profile', env = {}) =>
  nsysProfile({ nsys: '/opt/nsys', command, output, env });

describe('nsys profile', () => {
  it.each([
    ['a script', ['python3', 'scripts/replay_behavior_gpu.py', '--n-worlds', '1000']],
    ['a module', ['/venv/bin/python', '-m', 'flygym.replay', '--sim-steps', '10']],
    ['a module behind options of Python', ['python', '-X', 'dev', '-u', '-m', 'flygym.replay']],
    ['options that nsys has too', ['python', '-m', 'bench', '--output', 'x', '--trace=none']],
    ['a launcher', ['uv', 'run', '--', 'python', '-m', 'bench']],
    ['code', ['python', '-c', 'import sim; sim.main()']],
    ['a program of its own', ['./sim', 'a b']],
  ])('runs %s as it was typed', (_, command) => {
    expect(plan(command)).toEqual({
      argv: ['/opt/nsys', 'profile', ...FLAGS, 'outputs/gpu_profile', ...command],
      env: { SIM_PROFILER_UNDER_NSYS: '1', _FLYGYM_NSYS_ACTIVE: '1' },
      report: 'outputs/gpu_profile.nsys-rep',
    });
  });

  it.each([
    ['p.nsys-rep', 'p', 'p.nsys-rep'],
    ['a/p.v2', 'a/p.v2', 'a/p.v2.nsys-rep'],
    ['-p', './-p', './-p.nsys-rep'],
  ])('writes %s once with its extension', (output, told, report) => {
    const made = plan(['python', 'a.py'], output);
    expect(made?.argv[6]).toBe(told);
    expect(made?.report).toBe(report);
  });

  it.each([
    [{ [UNDER_NSYS]: '1' }, true],
    [{ _FLYGYM_NSYS_ACTIVE: '1' }, true],
    [{ [UNDER_NSYS]: '' }, false],
    [{ [UNDER_NSYS]: undefined }, false],
  ])('is not started again in what it has started: %o', (env, isUnder) => {
    expect(plan(['python', 'a.py'], 'p', env) === undefined).toBe(isUnder);
  });

  it('what it sets keeps it from being started again', () => {
    expect(plan(['python', 'a.py'], 'p', plan(['python', 'a.py'])?.env)).toBeUndefined();
  });

  it.each([
    [[], 'p', 'nsys-no-command'],
    [['-m', 'module'], 'p', 'nsys-no-command'],
    [['/usr/local/bin/nsys', 'profile', 'a'], 'p', 'nsys-twice'],
    [['a'], 'half%p', 'nsys-output'],
    [['a'], '.nsys-rep', 'nsys-output'],
    [['a'], 'folder/', 'nsys-output'],
  ])('refuses %j to %s: %s', (command, output, id) => {
    expect(() => plan(command, output)).toThrow(
      expect.objectContaining({ exitCode: 2, finding: expect.objectContaining({ id }) }),
    );
  });
});

describe('nsys stats', () => {
  it.each([
    [
      undefined,
      'cuda_gpu_kern_sum,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum,cuda_api_sum,nvtx_sum,osrt_sum',
    ],
    [2026, 'cuda_gpu_kern_sum,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum,cuda_api_sum,nvtx_sum,osrt_sum'],
    [2022, 'gpukernsum,gpumemtimesum,gpumemsizesum,cudaapisum,nvtxsum,osrtsum'],
  ])('of the year %s names its reports so', (year, reports) => {
    expect(nsysStats('nsys', 'a b.nsys-rep', year)).toEqual([
      'nsys',
      'stats',
      `--report=${reports}`,
      '--format=csv',
      '--output=-',
      '--force-export=true',
      'a b.nsys-rep',
    ]);
  });

  it.each([
    ['NVIDIA Nsight Systems version 2024.1.1.59-241133802077v0', 2024],
    ['NVIDIA Nsight Systems version 2022.4.2.1-df9881f\n', 2022],
    ['command not found', undefined],
  ])('the year in %j is %s', (text, year) => {
    expect(nsysYear(text)).toBe(year);
  });
});

it('nsys export writes beside the report', () => {
  expect(nsysExport('nsys', 'out/p.nsys-rep')).toEqual({
    argv: [
      'nsys',
      'export',
      '--type=sqlite',
      '--force-overwrite=true',
      '--output=out/p.sqlite',
      'out/p.nsys-rep',
    ],
    file: 'out/p.sqlite',
  });
});

it('nsys export writes into a folder, and takes reports of before 2021.4', () => {
  expect(nsysExport('nsys', '/out/p.qdrep', '/tmp/x')).toEqual({
    argv: [
      'nsys',
      'export',
      '--type=sqlite',
      '--force-overwrite=true',
      '--output=/tmp/x/p.sqlite',
      '/out/p.qdrep',
    ],
    file: '/tmp/x/p.sqlite',
  });
  expect(['p.nsys-rep', 'p.qdrep', 'p.sqlite', 'nsys-rep'].map(isNsysReport)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
