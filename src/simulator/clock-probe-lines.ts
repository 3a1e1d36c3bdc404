/** What our subscriber to `/clock` says, line by line: target/clock/clock_probe.py tells the format. */
import type { ClockSample } from './clock-samples.js';

export type ProbeEnd = 'over' | 'silent' | 'full' | 'stopped' | 'no-ros' | 'failed';

export interface ClockProbeSaid {
  readonly samples: readonly ClockSample[];
  /** The library that it heard with: `rclpy`, `cyclonedds`; undefined where it never began. */
  readonly via?: string;
  /** The settings that it heard with. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Undefined where it ended without a word. */
  readonly end?: ProbeEnd;
  /** When listening ended, on the clock of the samples. */
  readonly endNs?: number;
  /** Who writes to the topic, by names or keys, where it could be told. */
  readonly publishers?: readonly string[];
  /** What went wrong, in the words of the program that failed. */
  readonly said?: string;
}

const ENDS: ReadonlySet<string> = new Set(['over', 'silent', 'full', 'stopped', 'no-ros', 'failed']);
/** One line tells a quarter of a second. */
const LONGEST_LINE = 1 << 24;

/** Takes output in pieces, as it comes. A line that is none of the probe's is passed over: other libraries print as well. */
export function clockProbeReader(): {
  readonly push: (text: string) => void;
  readonly count: () => number;
  readonly said: () => ClockProbeSaid;
} {
  const samples: ClockSample[] = [];
  let facts: Omit<ClockProbeSaid, 'samples'> = {};
  let pending = '';
  return {
    push: (text) => {
      const lines = (pending + text).split('\n');
      pending = (lines.pop() ?? '').slice(0, LONGEST_LINE);
      for (const line of lines) {
        const document = parsed(line);
        if (document === undefined) continue;
        for (const sample of samplesOf(document)) samples.push(sample);
        facts = { ...facts, ...factsOf(document) };
      }
    },
    count: () => samples.length,
    said: () => ({ samples, ...facts }),
  };
}

type Document = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(line: string): Document | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const document: unknown = JSON.parse(line);
    return isRecord(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

function samplesOf({ kind, of }: Document): readonly ClockSample[] {
  if (kind !== 'messages' || !Array.isArray(of)) return [];
  return of.flatMap((row: unknown) => {
    const [receiveNs, simNs, publisher] = Array.isArray(row) ? (row as readonly unknown[]) : [];
    if (typeof receiveNs !== 'number' || typeof simNs !== 'number') return [];
    return [{ receiveNs, simNs, ...(typeof publisher === 'string' ? { publisher } : {}) }];
  });
}

const isText = (value: unknown): value is string => typeof value === 'string';

function factsOf({
  kind,
  via,
  environment,
  reason,
  ns,
  publishers,
  said,
}: Document): Omit<ClockProbeSaid, 'samples'> {
  if (kind === 'start')
    return {
      ...(isText(via) ? { via } : {}),
      ...(isRecord(environment)
        ? {
            environment: Object.fromEntries(
              Object.entries(environment).flatMap(([name, value]) => (isText(value) ? [[name, value]] : [])),
            ),
          }
        : {}),
    };
  if (kind !== 'end') return {};
  return {
    ...(isText(reason) && ENDS.has(reason) ? { end: reason as ProbeEnd } : {}),
    ...(typeof ns === 'number' ? { endNs: ns } : {}),
    ...(Array.isArray(publishers) ? { publishers: publishers.filter(isText) } : {}),
    ...(isText(said) ? { said } : {}),
  };
}
