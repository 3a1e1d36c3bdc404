/** One thing that Compose would do. */
export interface DryRunStep {
  /** `Container`, `Network`, `Volume`, `Image`. */
  readonly kind: string;
  readonly name: string;
  /** As Compose words it: `Running`, `Recreate`, `Stopping`. */
  readonly action: string;
}

const STEP = /DRY-RUN MODE\s+-\s+(Container|Network|Volume|Image|Service)\s+(\S.*?)\s+(\S+)\s*$/;

/** What `up --dry-run` prints to standard error, for all that it says about containers, networks and volumes. */
export function parseDryRun(text: string): readonly DryRunStep[] {
  return text.split('\n').flatMap((line) => {
    const [, kind, name, action] = STEP.exec(line) ?? [];
    return kind === undefined || name === undefined || action === undefined ? [] : [{ kind, name, action }];
  });
}

/** The steps that change something. */
export function changes(steps: readonly DryRunStep[]): readonly DryRunStep[] {
  return steps.filter(({ action }) => !/^(?:Running|Waiting|Healthy)$/.test(action));
}
