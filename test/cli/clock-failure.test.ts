import { describe, expect, it } from 'vitest';
import { clockFailure } from '../../src/cli/clock-failure.js';
import { differentSettings } from '../../src/cli/clock-settings.js';
import type { ClockProbeSaid } from '../../src/simulator/index.js';
import type { ClockProbe, Target } from '../../src/target/index.js';

const TARGET: Target = {
  pid: 4711,
  startTicks: 1,
  command: ['python3', 'run_bridge.py'],
  runtime: 'python',
  uid: 0,
  gid: 0,
  passedOver: [],
};

function failure(
  said: Partial<ClockProbeSaid>,
  hearing: ClockProbe['hearing'] = said.environment,
  words = '',
  exit: number | string = 0,
): ReturnType<typeof clockFailure>['finding'] {
  const probe: ClockProbe = {
    way: 'exec',
    python: 'python3',
    hearing,
    findings: [],
    start: () => {
      throw new Error('not started');
    },
  };
  return clockFailure({ target: TARGET, probe, said: { samples: [], ...said }, words, exit, patienceS: 15 })
    .finding;
}

describe('where nothing came on /clock', () => {
  it('the settings that decide it are told with their values, likeliest first', () => {
    expect(failure({ end: 'silent', via: 'rclpy', environment: {}, publishers: [] })).toMatchObject({
      id: 'clock-silent',
      what: 'Nothing came on /clock within 15 s (heard with rclpy, in the container of process 4711).',
      list: [
        'Domain: 0 (ROS_DOMAIN_ID is unset); the publisher may be in another.',
        'Middleware: the default (RMW_IMPLEMENTATION is unset); another one may not be heard.',
        'Discovery: multicast may be blocked between it and the publisher.',
        'The simulation may publish no /clock at all, or be paused.',
      ],
    });
    const set = {
      ROS_DOMAIN_ID: '7',
      RMW_IMPLEMENTATION: 'rmw_zenoh_cpp',
      ROS_AUTOMATIC_DISCOVERY_RANGE: 'OFF',
    };
    expect(failure({ end: 'silent', via: 'rclpy', environment: set }).list).toEqual([
      'Domain: 7; the publisher may be in another.',
      'Middleware: rmw_zenoh_cpp; another one may not be heard.',
      'Discovery: ROS_AUTOMATIC_DISCOVERY_RANGE=OFF keeps it to this machine and container.',
      'The simulation may publish no /clock at all, or be paused.',
    ]);
  });

  it('settings that are not those of the target come first', () => {
    const found = failure(
      { end: 'silent', via: 'rclpy', environment: { ROS_DOMAIN_ID: '7' } },
      { RMW_IMPLEMENTATION: 'rmw_cyclonedds_cpp' },
    );
    expect(found.list?.slice(0, 2)).toEqual([
      'RMW_IMPLEMENTATION is rmw_cyclonedds_cpp there and unset here',
      'ROS_DOMAIN_ID is unset there and 7 here',
    ]);
  });

  it('publishers that are known are named', () => {
    expect(failure({ end: 'silent', via: 'rclpy', publishers: ['/bridge'] }).list?.[0]).toBe(
      'Known publishers: /bridge: they are silent, as a paused simulation is.',
    );
  });
});

describe('where there was no subscriber', () => {
  it('what it lacked, what refused it, or what it said last is told', () => {
    expect(failure({ end: 'no-ros', said: "No module named 'rclpy'" })).toMatchObject({
      id: 'clock-no-ros',
      what: "The Python of process 4711 has no ROS: No module named 'rclpy'.",
    });
    expect(failure({ end: 'failed', said: 'rcl: \u001b[2Jbad domain.' })).toMatchObject({
      id: 'clock-refused',
    });
    expect(failure({ end: 'failed', said: 'rcl: \u001b[2Jbad domain.' }).what).not.toContain('\u001B');
    expect(failure({}, {}, 'Traceback …\nSyntaxError: invalid syntax\n')).toMatchObject({
      id: 'clock-probe-failed',
      what: 'The subscriber did not run: SyntaxError: invalid syntax.',
      why: "It is a small program for the target's own Python.",
    });
    const early =
      "ModuleNotFoundError: No module named 'encodings'\n\nCurrent thread:\n  <no Python frame>\n";
    expect(failure({}, undefined, early, 1)).toMatchObject({
      id: 'clock-probe-failed',
      what: "The subscriber did not run: ModuleNotFoundError: No module named 'encodings'.",
      why: "It is a small program for the target's own Python, which may need what could not be read of its environment.",
    });
  });

  it('a Python that is not there is told as that', () => {
    expect(
      failure({}, {}, 'exec: "python3": executable file not found in $PATH: unknown', 126),
    ).toMatchObject({
      id: 'clock-no-python',
      what: 'The subscriber could not be started, in the container of process 4711: exec: "python3": executable file not found in $PATH: unknown.',
      why: 'It is a small Python program, for python3 as it is found there.',
    });
  });
});

it('settings differ only where both are known', () => {
  expect(differentSettings({ hearing: undefined }, { environment: { A: '1' } })).toEqual([]);
  expect(differentSettings({ hearing: { A: '1' } }, {})).toEqual([]);
  expect(differentSettings({ hearing: { A: '1' } }, { environment: { A: '1' } })).toEqual([]);
  expect(differentSettings({ hearing: { A: '1' } }, { environment: { A: '' } })).toEqual([
    'A is 1 there and  here',
  ]);
});
