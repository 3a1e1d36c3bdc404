import { ProfilerError, shellLine } from '../model/index.js';
import { cleanText } from '../report/index.js';
import type { ClockProbeSaid } from '../simulator/index.js';
import { differentSettings } from './clock-settings.js';
import { type ClockProbe, shownPid, type Target } from '../target/index.js';

interface Failed {
  readonly target: Target;
  readonly probe: ClockProbe;
  readonly said: ClockProbeSaid;
  /** What the subscriber printed on standard error. */
  readonly words: string;
  /** What it ended with. */
  readonly exit: number | string;
  readonly patienceS: number;
}

/** Why a subscriber heard nothing: ProfilerError `clock-silent`, `clock-no-python`, `clock-no-ros`, `clock-refused`, `clock-probe-failed`. */
export function clockFailure(failed: Failed): ProfilerError {
  const { said, words, exit, probe, target } = failed;
  if (said.end === 'no-ros') return noRos(said, target);
  if (said.end === 'failed')
    return new ProfilerError({
      id: 'clock-refused',
      what: `The subscriber could not be made: ${oneLine(said.said ?? '')}.`,
      why: 'So says the middleware, which has the settings of the target.',
      fix: 'ros2 doctor --report',
    });
  if (said.end === undefined && NOT_STARTED.has(exit))
    return new ProfilerError({
      id: 'clock-no-python',
      what: `The subscriber could not be started, ${WAYS[probe.way]} process ${shownPid(target)}: ${oneLine(words)}.`,
      why: `It is a small Python program, for ${cleanText(probe.python)} as it is found there.`,
      fix: logLine(),
    });
  if (said.end === undefined)
    return new ProfilerError({
      id: 'clock-probe-failed',
      what: `The subscriber did not run: ${oneLine(words)}.`,
      why: `It is a small program for the target's own Python${probe.hearing === undefined ? ', which may need what could not be read of its environment' : ''}.`,
      fix: logLine(),
    });
  return silent(failed);
}

/** As shells, engines and nsenter say it, and Node. */
const NOT_STARTED: ReadonlySet<number | string> = new Set([126, 127, 'ENOENT', 'EACCES']);

function oneLine(text: string): string {
  const lines = text.trim().split('\n');
  // A Python that cannot even begin says more after that.
  const told = lines.findLast((line) => /^\w*Error: /.test(line)) ?? lines.at(-1) ?? '';
  return cleanText(told).replace(/\.$/, '').slice(0, 300);
}

function logLine(): string {
  return 'ros2 topic echo /clock rosgraph_msgs/msg/Clock -i --csv > clock.csv; profiler rtf --clock-log clock.csv';
}

function noRos({ said = '' }: ClockProbeSaid, target: Target): ProfilerError {
  return new ProfilerError({
    id: 'clock-no-ros',
    what: `The Python of process ${shownPid(target)} has no ROS: ${oneLine(said)}.`,
    why: 'The subscriber takes the rclpy, or the cyclonedds, that the target could import; where the target is no ROS node there may be none.',
    fix: logLine(),
  });
}

/** Nobody was heard: what decides that, with its values, likeliest first. */
function silent({ said, probe, patienceS, target }: Failed): ProfilerError {
  const settings = said.environment ?? {};
  const isLocal = ['1', 'true'].includes((settings['ROS_LOCALHOST_ONLY'] ?? '').toLowerCase());
  const range = settings['ROS_AUTOMATIC_DISCOVERY_RANGE'];
  const publishers = said.publishers ?? [];
  const likeliest =
    publishers.length > 0
      ? [
          `Known publishers: ${publishers.slice(0, 5).join(', ')}: they are silent, as a paused simulation is.`,
          'Or their messages do not arrive: shared memory of another user, or a firewall.',
        ]
      : [
          `Domain: ${settings['ROS_DOMAIN_ID'] ?? '0 (ROS_DOMAIN_ID is unset)'}; the publisher may be in another.`,
          `Middleware: ${settings['RMW_IMPLEMENTATION'] ?? 'the default (RMW_IMPLEMENTATION is unset)'}; another one may not be heard.`,
          isLocal || range === 'LOCALHOST' || range === 'OFF'
            ? `Discovery: ${isLocal ? 'ROS_LOCALHOST_ONLY' : `ROS_AUTOMATIC_DISCOVERY_RANGE=${range ?? ''}`} keeps it to this machine and container.`
            : 'Discovery: multicast may be blocked between it and the publisher.',
          'The simulation may publish no /clock at all, or be paused.',
        ];
  return new ProfilerError({
    id: 'clock-silent',
    what: `Nothing came on /clock within ${patienceS} s (heard with ${said.via ?? 'nothing'}, ${WAYS[probe.way]} process ${shownPid(target)}).`,
    list: [...differentSettings(probe, said), ...likeliest],
    why:
      probe.hearing === undefined
        ? 'The settings of the process could not be read, so the subscriber may lack them.'
        : 'The subscriber was given the settings that the process was started with.',
    fix: shellLine(['ros2', 'topic', 'info', '/clock', '--verbose']),
  });
}

const WAYS = { direct: 'beside', exec: 'in the container of', nsenter: 'in the namespaces of' } as const;
