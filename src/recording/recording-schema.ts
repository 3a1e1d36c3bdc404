import * as v from 'valibot';
import { ProfilerError } from '../model/index.js';
import { RECORDING_SCHEMA } from './recording.js';
import type { Recording } from './recording.js';
import { GIL_FILE } from './gil-stamps.js';
import { STEP_FILE } from './step-stamps.js';

/** A size, in any unit. JSON has no infinity, but `1e999` reads as one. */
const amount = v.pipe(
  v.number('not a number'),
  v.finite('not finite'),
  v.minValue(0, 'less than nothing'),
  v.maxValue(Number.MAX_SAFE_INTEGER, 'too large'),
);
const count = v.pipe(amount, v.safeInteger('not a whole number'));
const nanoseconds = v.pipe(v.string(), v.regex(/^\d{1,20}$/, 'not a number of nanoseconds'));

const finding = v.object({
  level: v.picklist(['blocker', 'warning', 'note']),
  id: v.string(),
  what: v.string(),
  why: v.string(),
  fix: v.exactOptional(v.string()),
});

/** `0-1,4`, as the kernel writes it. */
const CPU_LIST = /^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$/;

/** Part by which the parts of a window may exceed it: the kernel keeps the sums, we the window. */
const SLACK = 1.05;

const accounting = v.pipe(
  v.object({
    tid: count,
    nsTid: v.exactOptional(count),
    name: v.exactOptional(v.string()),
    // The kernel counts whole nanoseconds; what is less than one could not be drawn.
    wallNs: v.pipe(count, v.minValue(1, 'less than 1')),
    onCpuNs: count,
    cpuWaitNs: count,
    voluntarySwitches: count,
    involuntarySwitches: count,
    cpus: v.exactOptional(v.pipe(v.string(), v.regex(CPU_LIST, 'not a list of CPUs'))),
    states: v.exactOptional(
      v.object({ looks: count, running: count, gil: count, sleep: count, other: count }),
    ),
  }),
  v.forward(
    v.partialCheck(
      [['wallNs'], ['onCpuNs']],
      (row) => row.onCpuNs <= SLACK * row.wallNs,
      'more than its wall time',
    ),
    ['onCpuNs'],
  ),
  v.forward(
    v.partialCheck(
      [['wallNs'], ['cpuWaitNs']],
      (row) => row.cpuWaitNs <= SLACK * row.wallNs,
      'more than its wall time',
    ),
    ['cpuWaitNs'],
  ),
);

const machineCpu = v.pipe(
  v.object({ busyNs: count, stolenNs: count }),
  v.forward(
    v.partialCheck(
      [['busyNs'], ['stolenNs']],
      (row) => row.stolenNs <= row.busyNs,
      'more than what was in use',
    ),
    ['stolenNs'],
  ),
);

const sampler = v.object({
  rateHz: amount,
  agrees: v.boolean(),
  ticks: count,
  dueTicks: count,
  cpuUs: count,
  lateUs: v.object({ p50: amount, p99: amount, max: amount }),
  reads: v.object({ again: count, lost: count, unverified: count, reused: count }),
  gcPauses: v.object({ count, totalUs: count, maxUs: count }),
});

const slice = v.object({
  file: v.string(),
  format: v.string(),
  startNs: nanoseconds,
  endNs: nanoseconds,
  samples: v.exactOptional(count),
  errors: v.exactOptional(count),
  behindS: v.exactOptional(amount),
  exit: v.union([v.pipe(v.number(), v.safeInteger('not a whole number')), v.string()]),
  threads: v.exactOptional(
    v.array(
      v.object({
        file: v.string(),
        tid: v.exactOptional(count),
        name: v.exactOptional(v.string()),
        startNs: v.exactOptional(nanoseconds),
        telemetry: v.exactOptional(v.string()),
      }),
    ),
  ),
  native: v.exactOptional(
    v.object({
      file: v.string(),
      format: v.string(),
      rateHz: v.pipe(amount, v.minValue(1, 'less than 1')),
      wall: v.boolean(),
    }),
  ),
  sampler: v.exactOptional(sampler),
  machineCpu: v.exactOptional(machineCpu),
  accounting: v.array(accounting),
});

const MOST_SLICES = 100_000;

/** A slice that is named twice would count twice. The length comes first: the rest is not worth the time where it is absurd. */
const slices = v.pipe(
  v.array(v.unknown()),
  v.maxLength(MOST_SLICES, `more than ${MOST_SLICES} slices`),
  v.array(slice),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const files = new Set<string>();
    for (const [index, row] of dataset.value.entries()) {
      for (const file of row.threads?.map((thread) => thread.file) ?? [row.file]) {
        if (files.has(file)) {
          addIssue({
            message: `${file} is already that of another slice`,
            path: [
              { type: 'array', origin: 'value', input: dataset.value, key: index, value: row },
              { type: 'object', origin: 'value', input: { ...row }, key: 'file', value: file },
            ],
          });
        }
        files.add(file);
      }
    }
  }),
);

const target = v.object({
  pid: count,
  nsPid: v.exactOptional(count),
  startTicks: count,
  command: v.array(v.string()),
  exe: v.exactOptional(v.string()),
  runtime: v.string(),
  runtimeVersion: v.exactOptional(v.string()),
  uid: count,
  container: v.exactOptional(v.string()),
  containerName: v.exactOptional(v.string()),
  chosenBecause: v.exactOptional(v.string()),
});

const loopRate = v.object({
  tid: count,
  measure: v.picklist(['voluntary-switches', 'cpu']),
  before: v.array(amount),
  during: v.array(amount),
  after: v.array(amount),
});

const steps = v.object({
  symbol: v.string(),
  tid: count,
  worlds: count,
  stepsPerS: amount,
  timestepS: v.exactOptional(amount),
  timestepChanged: v.exactOptional(v.literal(true)),
  worldsChange: v.exactOptional(v.literal(true)),
  timedBy: v.exactOptional(v.picklist(['memory', 'steps'])),
  phases: v.array(
    v.object({
      phase: v.picklist(['before', 'during', 'after']),
      startNs: nanoseconds,
      endNs: nanoseconds,
      simulatedS: v.exactOptional(amount),
      steps: v.exactOptional(count),
      resets: v.exactOptional(count),
      doubtS: v.exactOptional(amount),
    }),
  ),
  file: v.exactOptional(v.literal(STEP_FILE, 'not the name of such a file')),
  lost: v.exactOptional(count),
});
const gil = v.object({
  symbol: v.picklist(['take_gil', 'PyEval_RestoreThread']),
  isWhole: v.boolean(),
  callers: v.array(v.object({ file: v.exactOptional(v.string()), symbol: v.exactOptional(v.string()) })),
  file: v.literal(GIL_FILE, 'not the name of such a file'),
  lost: v.exactOptional(count),
  tooOftenPerS: v.exactOptional(amount),
});
/** More would be no tables. */
const MOST_PRINTED = 1000;
const LONGEST_PRINTED = 1 << 20;

const printed = v.pipe(
  v.array(
    v.pipe(
      v.object({
        source: v.string(),
        fromByte: count,
        toByte: count,
        text: v.pipe(v.string(), v.maxLength(LONGEST_PRINTED, 'too long')),
      }),
      v.forward(
        v.partialCheck(
          [['fromByte'], ['toByte']],
          (piece) => piece.fromByte <= piece.toByte,
          'before its beginning',
        ),
        ['toByte'],
      ),
    ),
  ),
  v.maxLength(MOST_PRINTED, `more than ${MOST_PRINTED} pieces`),
);

/** Fields that a later release of the same version added are let go. */
const manifest = v.object({
  schema: v.literal(RECORDING_SCHEMA),
  version: v.string(),
  label: v.exactOptional(v.string()),
  createdAt: v.pipe(
    v.string(),
    v.check((text) => !Number.isNaN(Date.parse(text)), 'not a time'),
  ),
  target,
  threadTid: v.exactOptional(count),
  backend: v.string(),
  backendVersion: v.exactOptional(v.string()),
  route: v.string(),
  commands: v.array(v.array(v.string())),
  rateHz: v.pipe(amount, v.minValue(1, 'not from 1 to 100000'), v.maxValue(100_000, 'not from 1 to 100000')),
  phase: v.exactOptional(v.literal('load')),
  requestedS: amount,
  policy: v.string(),
  native: v.boolean(),
  slices,
  loopRates: v.array(loopRate),
  steps: v.exactOptional(steps),
  gil: v.exactOptional(gil),
  sources: v.record(v.string(), v.object({ short: v.string(), lines: v.record(v.string(), v.string()) })),
  threadIds: v.exactOptional(v.record(v.string(), count)),
  printed: v.exactOptional(printed),
  machine: v.object({ cpus: v.pipe(count, v.minValue(1, 'less than 1')), kernel: v.string() }),
  ended: v.picklist(['complete', 'interrupted', 'target-ended', 'target-paused']),
  findings: v.array(finding),
});

const FAMILY = /^sim-profiler\/recording\/v(\d{1,9})$/;
const OUR_VERSION = Number(FAMILY.exec(RECORDING_SCHEMA)?.[1]);

const head = v.object({ schema: v.string(), version: v.optional(v.string()) });

/**
 * The text of a `recording.json`, checked. `path` is for the error only.
 * @throws ProfilerError `recording-damaged`, `recording-too-new` or `not-a-recording`.
 */
export function parseRecording(text: string, path: string): Recording {
  const data = parseJson(text, path);
  const first = v.safeParse(head, data);
  const version = first.success ? FAMILY.exec(first.output.schema)?.[1] : undefined;
  if (!first.success || version === undefined) throw notOurs(path);
  if (Number(version) > OUR_VERSION) throw tooNew(path, first.output.schema, first.output.version);
  const whole = v.safeParse(manifest, data, { abortPipeEarly: true, abortEarly: true });
  if (whole.success) return whole.output;
  const [issue] = whole.issues;
  // The library's own words where a field is not there at all.
  const said = issue.message.startsWith('Invalid key') ? 'missing' : issue.message;
  throw damaged(path, `${v.getDotPath(issue) ?? 'the whole'}: ${said}`);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(path, text.trim() === '' ? 'it is empty' : 'its text is no JSON, or ends early');
  }
}

function damaged(path: string, detail: string): ProfilerError {
  return new ProfilerError({
    id: 'recording-damaged',
    what: `${path} cannot be read: ${detail.slice(0, 300)}.`,
    why: 'The file was cut off or changed after it was written; the raw samples beside it may still be whole.',
    fix: `profiler hot ${path.replace(/recording\.json$/, 'slices/000.raw')}`,
  });
}

function tooNew(path: string, schema: string, version: string | undefined): ProfilerError {
  return new ProfilerError({
    id: 'recording-too-new',
    what: `${path} has schema ${schema}, written by sim-profiler ${version ?? 'of unknown version'}; this one reads up to ${RECORDING_SCHEMA}.`,
    why: 'The recording was made by a newer sim-profiler than this one.',
    fix: 'npm install -g sim-profiler@latest',
  });
}

function notOurs(path: string): ProfilerError {
  return new ProfilerError({
    id: 'not-a-recording',
    what: `${path} is not the manifest of a recording.`,
    why: `It has no schema ${RECORDING_SCHEMA}; another tool may use that file name.`,
    fix: 'profiler recordings list',
  });
}
