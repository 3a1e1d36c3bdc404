/** `blocker`: no answer is possible. `warning`: the answer must not be trusted as it stands. `note`: good to know. */
export type FindingLevel = 'blocker' | 'warning' | 'note';

/** One thing a reader of the answer has to know. Ids are stable: scripts match on them. */
export interface Finding {
  readonly level: FindingLevel;
  /** Kebab case: `sampler-starved`. */
  readonly id: string;
  /** What is the case, with values. One sentence. */
  readonly what: string;
  /** What there is to choose from, one line each, where that is more than a sentence holds. Errors only. */
  readonly list?: readonly string[];
  /** What it does to the answer, or the likeliest cause. One sentence. */
  readonly why: string;
  /** The line to type, or the thing to change. */
  readonly fix?: string;
}

type ExitCode = 1 | 2 | 126 | 127 | 130;

/** Why a thing could not be done. Only `cli/` turns it into text and an exit code; no other error type reaches a user. */
export class ProfilerError extends Error {
  readonly finding: Finding;
  /** 1: could not be done, 2: wrong usage; 126, 127: a program cannot be started, there is none, as a shell tells it. */
  readonly exitCode: ExitCode;

  constructor(finding: Omit<Finding, 'level'>, exitCode: ExitCode = 1) {
    super(`${finding.what} ${finding.why}`);
    this.name = 'ProfilerError';
    this.finding = { level: 'blocker', ...finding };
    this.exitCode = exitCode;
  }
}
