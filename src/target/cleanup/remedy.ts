import type { Trace } from '../journal/journal.js';

/** Why something stays as it is, and the line to type. */
export interface Stays {
  readonly because: string;
  readonly fix?: string;
}

export type RemedyKind = Trace['kind'] | 'journal';

/** One thing that an ended run left behind, and the way to take it back. Texts are raw. */
export interface Remedy {
  readonly kind: RemedyKind;
  /** `container sim-profiler-4f2a at unix:///var/run/docker.sock`. */
  readonly what: string;
  /** What taking it back means, as a participle: `removed`, `stopped`. */
  readonly verb: string;
  /** What a user is asked first, where taking it back disturbs more than our own things. */
  readonly ask?: string;
  /** Whether it is still there; looks only. */
  readonly look: () => Promise<'there' | 'gone' | Stays>;
  /** Takes it back; undefined when it is proved gone. Never throws. */
  readonly take: () => Promise<Stays | undefined>;
}

/** What became of one thing. `planned`: it would be taken back. */
export type CleanupItem = Pick<Remedy, 'kind' | 'what' | 'verb'> &
  ({ readonly state: 'done' | 'planned' | 'gone' } | ({ readonly state: 'left' } & Stays));

export interface CleanupChoices {
  readonly dryRun: boolean;
  /** Answers a `Remedy.ask`; false leaves the thing as it is. */
  readonly consent: (question: string) => Promise<boolean>;
}

/** Applies one remedy. */
export async function apply(remedy: Remedy, { dryRun, consent }: CleanupChoices): Promise<CleanupItem> {
  const { kind, what, verb } = remedy;
  const item = { kind, what, verb };
  const seen = await remedy.look();
  if (seen === 'gone') return { ...item, state: 'gone' };
  if (seen !== 'there') return { ...item, state: 'left', ...seen };
  if (dryRun) return { ...item, state: 'planned' };
  if (remedy.ask !== undefined && !(await consent(remedy.ask)))
    return { ...item, state: 'left', because: 'nobody agreed to it', fix: 'profiler cleanup --yes' };
  const stays = await remedy.take();
  return stays === undefined ? { ...item, state: 'done' } : { ...item, state: 'left', ...stays };
}
