import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from './recording-folder.js';
import { runJson, runProfiler } from './run-profiler.js';

const START_NS = 1_796_057_322_243_500_000n;

/** What `ros2 topic echo /clock -i --csv` prints of 10 s at 50 Hz of a simulation at 0.82. */
function echoed(): string {
  return Array.from({ length: 501 }, (_, index) => {
    const sim = BigInt(index) * 16_400_000n + 12_340_000_000n;
    const received = START_NS + BigInt(index) * 20_000_000n;
    return `${received - 90_000n},${received},${index + 1},${index + 1},${sim / 1_000_000_000n},${sim % 1_000_000_000n}\n`;
  }).join('');
}

it('rtf --clock-log tells the factor of what ros2 topic echo -i printed', async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, 'clock.csv'), `Some, but not all, publishers are offering …\n${echoed()}`);
  const { code, out } = await runProfiler(['rtf', '--clock-log', 'clock.csv'], { cwd });
  expect(code).toBe(0);
  expect(out).toBe(`  clock.csv
  Real-time factor 0.820 ± 0.001: falls behind real time by 18 %.
  A pacer that is late has no time to sleep. Which part of the step takes it:
  profiler attach --pid PID
  500 messages of /clock: 8.18 simulated seconds in 9.98 s; from second to
  second 0.82–0.82.
  Note: 1 line of it is no message. ros2 prints warnings and lost messages among
    them.
  Note: Receive times are those of the system's clock. Where that was set
    meanwhile, by hand or by NTP, the factor is off by as much.
`);
  const paced = await runJson(['rtf', '--clock-log', 'clock.csv', '--pace', '0.82'], { cwd });
  expect(paced).toMatchObject({
    kind: 'rtf',
    way: 'clock-log',
    factor: 0.82,
    low: 0.82,
    high: 0.82,
    pace: 0.82,
    messages: 500,
  });
  expect((await runProfiler(['rtf', '--clock-log', 'clock.csv', '--pace', '0.82'], { cwd })).out).toContain(
    ': keeps up with its pace of 0.82.',
  );
});

it('a last line that was cut off is no jump of the clock', async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, 'cut.csv'), echoed().slice(0, -7));
  const { findings } = await runJson(['rtf', '--clock-log', 'cut.csv'], { cwd });
  expect(findings.map(({ id }: { readonly id: string }) => id)).toEqual(['clock-log-wall-clock']);
});

it('and refuses what has no receive times, with the line that has', async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, 'clock.csv'), '12,340000000\n12,342000000\n');
  const { code, err } = await runProfiler(['rtf', '--clock-log', 'clock.csv'], { cwd });
  expect(code).toBe(1);
  expect(err).toBe(`profiler: clock.csv holds no message of /clock with the time at which it came.
  Without -i ros2 topic echo prints simulated time alone.
  -> ros2 topic echo /clock rosgraph_msgs/msg/Clock -i --csv > clock.csv
`);
  expect((await runProfiler(['rtf', '--clock-log', '-'], { input: 'nothing\n' })).err).toContain(
    'Standard input holds no message of /clock',
  );
});

it('lines without times are timed by when they come through standard input, where they come all at once', async () => {
  const { code, err } = await runProfiler(['rtf', '--clock-log', '-'], {
    input: Array.from({ length: 100 }, (_, index) => `${index},0\n`).join(''),
  });
  expect(code).toBe(1);
  expect(err).toContain('100 messages of the clock within 0.0 s say too little.');
});
