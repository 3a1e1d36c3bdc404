import * as v from 'valibot';

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** What a thread's own telemetry said after a slice, checked: it comes from the target. Milliseconds of its own clock. */
const place = {
  id: v.number(),
  name: v.string(),
  nowMs: v.number(),
  nowNs: v.pipe(v.string(), v.regex(/^\d{1,19}$/)),
};
const spans = v.object({
  kind: v.literal('spans'),
  ...place,
  categories: v.array(v.object({ name: v.string(), calls: count, spans: v.string(), unplaced: count })),
});
const steps = v.object({
  kind: v.literal('steps'),
  ...place,
  steps: v.array(
    v.object({
      signature: v.string(),
      composite: v.boolean(),
      lane: v.number(),
      startMs: v.number(),
      endMs: v.number(),
      isOpen: v.boolean(),
      phases: v.array(v.tuple([v.string(), v.number(), v.number()])),
    }),
  ),
  leftOut: count,
});
const answer = v.object({ sources: v.array(v.unknown()) });

export type SpanSource = v.InferOutput<typeof spans>;
export type StepSource = v.InferOutput<typeof steps>;

/** The sources of an answer that can be read; undefined where it is no answer. */
export function telemetrySources(text: string): readonly (SpanSource | StepSource)[] | undefined {
  const read = v.safeParse(answer, parsed(text));
  if (!read.success) return undefined;
  return read.output.sources.flatMap((source) => {
    const known = v.safeParse(v.variant('kind', [spans, steps]), source);
    return known.success ? [known.output] : [];
  });
}

/** Before and after a slice, as they stand in a file of the recording. */
export function telemetryPair(text: string): { readonly begin: string; readonly end: string } | undefined {
  const read = v.safeParse(v.object({ begin: v.string(), end: v.string() }), parsed(text));
  return read.success ? read.output : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** End and duration of each span, milliseconds. */
export function spanPairs(base64: string): Float64Array {
  const bytes = Buffer.from(base64, 'base64');
  const pairs = new Float64Array(Math.floor(bytes.length / 16) * 2);
  new Uint8Array(pairs.buffer).set(bytes.subarray(0, pairs.byteLength));
  return pairs;
}
