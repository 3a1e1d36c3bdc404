import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { laidOut, recording, slice } from './example.js';

/** The window begins at 1000 s of the system's clock; the program's own clock begins at nothing then, unless it is said otherwise. */
const ORIGIN_NS = 1_000_000_000_000n;
export const nsAt = (ms: number): string => String(ORIGIN_NS + BigInt(Math.round(ms * 1e6)));

function base64(pairs: readonly (readonly [end: number, took: number])[]): string {
  return Buffer.from(Float64Array.from(pairs.flat()).buffer).toString('base64');
}

interface Category {
  readonly name: string;
  readonly calls: number;
  readonly spans?: readonly (readonly [end: number, took: number])[];
  readonly unplaced?: number;
}

export const spans = (atMs: number, categories: readonly Category[], more: object = {}): object => ({
  id: 0,
  kind: 'spans',
  name: 'default',
  nowMs: atMs,
  nowNs: nsAt(atMs),
  categories: categories.map(({ spans: own = [], unplaced = 0, ...rest }) => ({
    ...rest,
    unplaced,
    spans: base64(own),
  })),
  ...more,
});

export const steps = (atMs: number, own: readonly object[], more: object = {}): object => ({
  id: 1,
  kind: 'steps',
  name: '',
  nowMs: atMs,
  nowNs: nsAt(atMs),
  steps: own,
  leftOut: 0,
  ...more,
});

export const step = (signature: string, startMs: number, endMs: number, more: object = {}): object => ({
  signature,
  path: '',
  composite: false,
  lane: 0,
  startMs,
  endMs,
  isOpen: false,
  phases: [],
  ...more,
});

/** What the thread said before a slice, and after it. */
export const told = (begin: readonly unknown[], end: readonly unknown[]): string =>
  JSON.stringify({ begin: JSON.stringify({ sources: begin }), end: JSON.stringify({ sources: end }) });

/** Samples of `work` each 10 ms, by V8's own file. */
export function cpuprofile(startMs: number, lengthMs: number): string {
  const count = lengthMs / 10;
  return JSON.stringify({
    startTime: Number(ORIGIN_NS / 1000n) + startMs * 1000,
    endTime: Number(ORIGIN_NS / 1000n) + (startMs + lengthMs) * 1000,
    nodes: [
      { id: 1, callFrame: { functionName: '(root)', url: '', lineNumber: -1 }, children: [2] },
      { id: 2, callFrame: { functionName: 'work', url: 'file:///app/a.js', lineNumber: 3 } },
    ],
    samples: Array.from({ length: count }, () => 2),
    timeDeltas: Array.from({ length: count }, (_, at) => (at === 0 ? 0 : 10_000)),
  });
}

/** A recording of slices of 100 ms, one after the other, of a Node with this telemetry. */
export async function nodeRecording(
  folder: string,
  ...telemetry: readonly (string | undefined)[]
): Promise<string> {
  const slices = telemetry.map((one, at) =>
    slice({
      file: `slices/00${at}.cpuprofile`,
      format: 'cpuprofile',
      startNs: nsAt(100 * at),
      endNs: nsAt(100 * at + 100),
      samples: 10,
      threads: [
        {
          file: `slices/00${at}.cpuprofile`,
          tid: 48211,
          name: 'main',
          startNs: nsAt(100 * at),
          ...(one === undefined ? {} : { telemetry: `slices/00${at}.telemetry.json` }),
        },
      ],
    }),
  );
  const files = Object.fromEntries(slices.map(({ file }, at) => [file, cpuprofile(100 * at, 100)]));
  await laidOut(folder, recording({ backend: 'node', rateHz: 100, slices }), files);
  await mkdir(join(folder, 'slices'), { recursive: true });
  for (const [at, text] of telemetry.entries())
    if (text !== undefined) await writeFile(join(folder, `slices/00${at}.telemetry.json`), text);
  return folder;
}
