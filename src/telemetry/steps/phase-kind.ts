/** Phases that a step has sums for; any other name is a phase of the program's own. */
export type PhaseName =
  | 'execute'
  | 'dbRead'
  | 'dbWrite'
  | 'acquire'
  | 'sleep'
  | 'hal'
  | 'motion'
  | `hal:${string}`
  | (string & Record<never, never>);

export type PhaseKind = 'execute' | 'dbRead' | 'dbWrite' | 'acquire' | 'sleep' | 'hal' | 'motion' | 'own';

export interface NamedPhase {
  readonly kind: PhaseKind;
  /** As a trace has it. */
  readonly label: string;
  /** Of a call into hardware: `Class.method`. */
  readonly method: string;
}

/** Under our names, and under those of raccoon. */
const KNOWN: Readonly<Record<string, NamedPhase>> = {
  execute: { kind: 'execute', label: 'execute', method: '' },
  dbRead: { kind: 'dbRead', label: 'db_read', method: '' },
  db_read: { kind: 'dbRead', label: 'db_read', method: '' },
  dbWrite: { kind: 'dbWrite', label: 'db_write', method: '' },
  db_write: { kind: 'dbWrite', label: 'db_write', method: '' },
  acquire: { kind: 'acquire', label: 'acquire', method: '' },
  sleep: { kind: 'sleep', label: 'sleep', method: '' },
  motion: { kind: 'motion', label: 'motion', method: '' },
  hal: { kind: 'hal', label: 'hal:(call)', method: '(call)' },
};

function halCall(method: string): NamedPhase {
  return { kind: 'hal', label: `hal:${method}`, method };
}

/** `method` names a call into hardware whose phase is only `hal`. */
export function phaseOf(name: string, method?: string): NamedPhase {
  // A program in JavaScript may hand over anything.
  if (typeof name !== 'string') return { kind: 'own', label: '(no name)', method: '' };
  if (name === 'hal' && typeof method === 'string') return halCall(method);
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  if (known !== undefined) return known;
  if (name.startsWith('hal:')) return halCall(name.slice('hal:'.length));
  return { kind: 'own', label: name, method: '' };
}

/** Those that are parts of a whole: one inside another is not counted again, since the sums would pass it. */
export function isPart(kind: PhaseKind): boolean {
  return kind === 'sleep' || kind === 'hal' || kind === 'dbRead' || kind === 'dbWrite' || kind === 'acquire';
}
