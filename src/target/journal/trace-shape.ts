import { GROUP } from '../tracing/tracefs.js';
import type { OverrideUndo, ServiceInstance, Trace } from './journal.js';

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isPid: Check = (value) => Number.isSafeInteger(value) && Number(value) > 0;
const isPath: Check = (value) => typeof value === 'string' && value.startsWith('/');
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every((one) => check(one));
const isTexts = listOf(isText);
/** It becomes part of a path, and of words that the kernel obeys. */
const isGroup: Check = (value) => typeof value === 'string' && GROUP.test(value);

/** A check for every field, so that none is forgotten. */
type Shape<T> = Readonly<Record<keyof T, Check>>;

function fits<T>(value: unknown, shape: Shape<T>): boolean {
  return isRecord(value) && Object.entries<Check>(shape).every(([field, check]) => check(own(value, field)));
}

function own(value: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(value, field) ? value[field] : undefined;
}

const INSTANCE: Shape<ServiceInstance> = {
  id: isText,
  name: isText,
  number: isCount,
  running: isFlag,
  imageId: isText,
  configHash: isText,
  capAdd: isTexts,
  capDrop: isTexts,
  privileged: isFlag,
  mounts: isTexts,
  networks: isTexts,
};

const UNDO: Shape<OverrideUndo> = {
  engine: isText,
  project: isText,
  service: isText,
  folder: isPath,
  capabilities: isTexts,
  before: listOf((value) => fits(value, INSTANCE)),
  settled: isFlag,
  cwd: isPath,
  restore: (value) => isTexts(value) && Array.isArray(value) && value.length > 0,
  environment: (value) => isRecord(value) && Object.values(value).every(isText),
  unset: isTexts,
};

type ShapeOf<Kind extends Trace['kind']> = Shape<Omit<Trace & { readonly kind: Kind }, 'kind'>>;

const LIFE: ShapeOf<'process'> = { pid: isPid, startTicks: isCount };

const TRACES: { readonly [Kind in Trace['kind']]: ShapeOf<Kind> } = {
  container: { engine: isText, name: isText },
  image: { engine: isText, reference: isText },
  file: { engine: isText, container: isText, path: isText },
  process: LIFE,
  probed: LIFE,
  uprobe: { group: isGroup },
  inspector: { ...LIFE, port: isCount },
  override: { undo: (value) => fits(value, UNDO) },
};

/** Whether something that a journal names is complete: it decides what is removed, and which commands run. */
export function isTrace(value: unknown): value is Trace {
  if (!isRecord(value)) return false;
  const kind = own(value, 'kind');
  const known = Object.entries(TRACES).find(([name]) => name === kind);
  return known !== undefined && fits<Readonly<Record<string, unknown>>>(value, known[1]);
}
