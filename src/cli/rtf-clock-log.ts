import { ProfilerError, type Finding } from '../model/index.js';
import { cleanText, plural, type Rtf } from '../report/index.js';
import { type ClockEcho, clockFactor, type EchoLine, readClockEcho } from '../simulator/index.js';
import { inputText } from './input-bytes.js';
import type { Io } from './io.js';
import { lineReader } from './moment.js';

/** How fast a simulation runs, by what `ros2 topic echo /clock` printed. Throws ProfilerError `cannot-read`, `clock-log-no-times`, and what `clockFactor` throws. */
export async function clockLogRtf(
  io: Io,
  { clockLog = '-', pace }: { readonly clockLog?: string; readonly pace: number },
): Promise<Rtf> {
  const echo = readClockEcho(clockLog === '-' ? await arrivingLines(io) : await fileLines(io, clockLog));
  if (echo.samples.length === 0) throw noTimes(clockLog, echo);
  const { factor, findings, ...measured } = clockFactor(echo.samples);
  return {
    source: clockLog === '-' ? 'standard input' : clockLog,
    factor: factor.value,
    low: factor.low,
    high: factor.high,
    pace,
    measured: { way: 'clock-log', ...measured },
    findings: [...findings, ...stampFindings(echo)],
  };
}

async function fileLines(io: Io, file: string): Promise<readonly EchoLine[]> {
  // A last line without its end was cut off, in the middle of a number perhaps.
  return (await inputText(io, file))
    .split('\n')
    .slice(0, -1)
    .map((text) => ({ text }));
}

/** Lines with the moment at which each came. */
async function arrivingLines(io: Io): Promise<readonly EchoLine[]> {
  const lines: EchoLine[] = [];
  const beganNs = process.hrtime.bigint();
  let arrivedNs = 0;
  const read = lineReader((text) => lines.push({ text, arrivedNs }));
  for await (const chunk of io.stdin()) {
    arrivedNs = Number(process.hrtime.bigint() - beganNs);
    read(chunk);
  }
  return lines;
}

function stampFindings({ stamps, unread }: ClockEcho): readonly Finding[] {
  return [
    ...(unread > 0
      ? [
          {
            level: 'note',
            id: 'clock-log-unread',
            what: `${plural(unread, 'line')} of it ${unread === 1 ? 'is' : 'are'} no message.`,
            why: 'ros2 prints warnings and lost messages among them.',
          } as const,
        ]
      : []),
    stamps === 'arrival'
      ? {
          level: 'note',
          id: 'clock-log-arrival',
          what: 'Messages are timed by when their lines came here.',
          why: 'A program that writes to a pipe holds its output back in blocks: Python does so without PYTHONUNBUFFERED.',
          fix: 'PYTHONUNBUFFERED=1 ros2 topic echo /clock rosgraph_msgs/msg/Clock -i --csv | profiler rtf --clock-log -',
        }
      : {
          level: 'note',
          id: 'clock-log-wall-clock',
          what: "Receive times are those of the system's clock.",
          why: 'Where that was set meanwhile, by hand or by NTP, the factor is off by as much.',
        },
  ];
}

function noTimes(file: string, { stamps, unread }: ClockEcho): ProfilerError {
  const name = file === '-' ? 'Standard input' : cleanText(file);
  const isRead = stamps === 'none' && unread === 0;
  return new ProfilerError({
    id: 'clock-log-no-times',
    what: `${name} holds no message of /clock with the time at which it came.`,
    why: isRead
      ? 'Without -i ros2 topic echo prints simulated time alone.'
      : 'It is what `ros2 topic echo /clock -i` prints, with or without --csv; ROS 2 Humble has no -i: pipe it into --clock-log - instead.',
    fix: 'ros2 topic echo /clock rosgraph_msgs/msg/Clock -i --csv > clock.csv',
  });
}
