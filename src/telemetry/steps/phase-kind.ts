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

const KNOWN: ReadonlyMap<string, NamedPhase> = new Map([
  named('execute', 'execute'),
  named('dbRead', 'db_read'),
  named('dbWrite', 'db_write'),
  named('acquire', 'acquire'),
  named('sleep', 'sleep'),
  named('motion', 'motion'),
  ['hal', halCall('(call)')],
  // As raccoon spells them.
  ['db_read', named('dbRead', 'db_read')[1]],
  ['db_write', named('dbWrite', 'db_write')[1]],
]);

function named(kind: PhaseKind, label: string): readonly [string, NamedPhase] {
  return [kind, { kind, label, method: '' }];
}

function halCall(method: string): NamedPhase {
  return { kind: 'hal', label: `hal:${method}`, method };
}

/** `method` names a call into hardware whose phase is only `hal`. */
export function phaseOf(name: string, method?: string): NamedPhase {
  // A program in JavaScript may hand over anything.
  if (typeof name !== 'string') return { kind: 'own', label: '(no name)', method: '' };
  if (name === 'hal' && typeof method === 'string') return halCall(method);
  const known = KNOWN.get(name);
  if (known !== undefined) return known;
  if (name.startsWith('hal:')) return halCall(name.slice('hal:'.length));
  return { kind: 'own', label: name, method: '' };
}

/** Those that are parts of a whole: one inside another is not counted again, since the sums would pass it. */
export function isPart(kind: PhaseKind): boolean {
  return kind === 'sleep' || kind === 'hal' || kind === 'dbRead' || kind === 'dbWrite' || kind === 'acquire';
}
