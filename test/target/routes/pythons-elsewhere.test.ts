import { describe, expect, it } from 'vitest';
import { pythonsIn } from '../../../src/target/routes/pythons-elsewhere.js';

describe('the Pythons that a sidecar sees', () => {
  it('are the last processes of their chains, with the files that were at work', () => {
    const raw = [
      'process 1:"/sbin/tini -- sh -c run";process 6:"sh -c run";process 7:"python3 -m robot.run --hz 500";thread (7): MainThread;main (/opt/robot/run.py:7);step (/opt/robot/engine.py:9) 3',
      'process 1:"/sbin/tini -- sh -c run";process 6:"sh -c run";process 7:"python3 -m robot.run --hz 500";thread (9): spin;spin (/opt/rclpy/executors.py:53);poll (<frozen x>:1) 20',
      'process 1:"/sbin/tini -- sh -c run";process 21:"python3 /viz.py";thread (21): MainThread;show (/viz.py:3) 20',
      '',
    ].join('\n');
    expect(pythonsIn(raw)).toEqual([
      {
        pid: 7,
        command: ['python3', '-m', 'robot.run', '--hz', '500'],
        files: ['/opt/robot/run.py', '/opt/robot/engine.py', '/opt/rclpy/executors.py'],
      },
      { pid: 21, command: ['python3', '/viz.py'], files: ['/viz.py'] },
    ]);
  });

  it('may be the first process itself', () => {
    expect(pythonsIn('process 1:"python3 a b";thread (1): MainThread;f (/a b.py:2) 1')).toEqual([
      { pid: 1, command: ['python3', 'a', 'b'], files: ['/a b.py'] },
    ]);
  });

  it.each([
    ['nothing', ''],
    ['a stack without a process', 'thread (1): MainThread;f (/a.py:2) 1'],
    ['a line that was cut', 'process 1:"python3 a'],
    ['words', 'Error: No python processes found in process 1 or any of its subprocesses'],
  ])('are none in %s', (_, raw) => {
    expect(pythonsIn(raw)).toEqual([]);
  });

  it('may have command lines of several lines', () => {
    const command = 'python3 -c import time\nwhile 1: time.sleep(.005)';
    const raw = `process 1:"${command}";thread (1): MainThread;<module> (<string>:2) 20\nprocess 1:"${command}";thread (4): w;f (/a.py:2) 1\n`;
    expect(pythonsIn(raw).map(({ pid, command: found }) => [pid, found.join(' ')])).toEqual([[1, command]]);
  });

  it('may call themselves what they like', () => {
    const name = 'python3 ";thread (3): x;process 9:"y';
    const [only, ...others] = pythonsIn(`process 1:"${name}";thread (1): MainThread;f (/a.py:2) 1`);
    expect([only?.pid, only?.command.join(' '), others]).toEqual([1, name, []]);
    const many = `process 1:"${'";process 2:"'.repeat(20_000)}`;
    expect(pythonsIn(many)).toEqual([]);
  });
});
