/**
 * What `ros2 topic echo /clock` prints (ros2cli, verb/echo.py): with `--csv` a line per message, `sec,nanosec`, and with `-i` in front of that
 * `source,received,publication,reception`; without `--csv` YAML documents, with `-i` one of its own before each message.
 */
import type { ClockSample } from './clock-samples.js';

/** A line, and when it came, where it was seen to come. Nanoseconds of a clock that never jumps. */
export interface EchoLine {
  readonly text: string;
  readonly arrivedNs?: number;
}

export interface ClockEcho {
  readonly samples: readonly ClockSample[];
  /** Where receive times come from: `echo` prints those of the system's clock (`-i`), or lines were seen to come. */
  readonly stamps: 'echo' | 'arrival' | 'none';
  /** Lines that are nothing known: warnings, lost messages, cut lines. */
  readonly unread: number;
}

const CSV = /^(\d{1,10}),(\d{1,9})$/;
const CSV_STAMPED = /^\d{1,20},(\d{1,20}),\d{1,20},\d{1,20},(\d{1,10}),(\d{1,9})$/;
const FIELD = /^\s*(sec|nanosec|received_timestamp): (\d{1,20})$/;
const BESIDE =
  /^(?:---|clock:|\s*(?:source_timestamp|publication_sequence_number|reception_sequence_number): \S+|)$/;

/** More than a day at 20 messages a second; what comes after is not read. */
const MOST = 2_000_000;

/** Messages in the order of the lines. Times are counted from the first message. */
export function readClockEcho(lines: Iterable<EchoLine>): ClockEcho {
  const found: { readonly simNs: bigint; readonly receivedNs?: bigint; readonly arrivedNs?: number }[] = [];
  let unread = 0;
  let pending: { sec?: bigint; received?: bigint } = {};
  for (const { text, arrivedNs } of lines) {
    if (found.length >= MOST) break;
    const line = text.trimEnd();
    const add = (sec: string | bigint, nanosec: string, received?: string | bigint): void => {
      found.push({
        simNs: BigInt(sec) * 1_000_000_000n + BigInt(nanosec),
        ...(received === undefined ? {} : { receivedNs: BigInt(received) }),
        ...(arrivedNs === undefined ? {} : { arrivedNs }),
      });
    };
    const [, sec, nanosec] = CSV.exec(line) ?? [];
    const [, stamp, stampedSec, stampedNanosec] = CSV_STAMPED.exec(line) ?? [];
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    if (sec !== undefined && nanosec !== undefined) add(sec, nanosec);
    else if (stamp !== undefined && stampedSec !== undefined && stampedNanosec !== undefined)
      add(stampedSec, stampedNanosec, stamp);
    else if (name === 'received_timestamp') pending = { received: BigInt(value) };
    else if (name === 'sec') pending = { ...pending, sec: BigInt(value) };
    else if (name === 'nanosec' && pending.sec !== undefined && value.length <= 9) {
      add(pending.sec, value, pending.received);
      pending = {};
    } else if (!BESIDE.test(line)) unread += 1;
  }
  const [first] = found;
  const isStamped = first?.receivedNs !== undefined;
  const stamps = isStamped ? 'echo' : first?.arrivedNs === undefined ? 'none' : 'arrival';
  const samples = found.flatMap(({ simNs, receivedNs, arrivedNs }) => {
    const receiveNs = isStamped
      ? receivedNs === undefined
        ? undefined
        : Number(receivedNs - (first.receivedNs ?? 0n))
      : arrivedNs;
    return receiveNs === undefined ? [] : [{ receiveNs, simNs: Number(simNs - (first?.simNs ?? 0n)) }];
  });
  return {
    samples,
    stamps,
    unread: unread + found.length - (stamps === 'none' ? found.length : samples.length),
  };
}
