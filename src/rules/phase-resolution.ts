import type { Finding, Profile } from '../model/index.js';
import { isInLibrary, libraryVersion } from './library-version.js';
import type { CheckedPhases, Claim, Rule, RulePack } from './rule.js';

/** How much of a bucket native leaves told apart by phase, for one release of its program. The three add up to all its samples. */
export interface PhaseResolution {
  /** As people call it: `MuJoCo`. */
  readonly program: string;
  /** `3.14.0`; absent where no frame names the library with its version. */
  readonly version?: string;
  /** Whether the rules were held against that release; absent where it is unknown. */
  readonly checked?: boolean;
  readonly inPhase: number;
  /** In native functions that several phases share or that have no name, and in the entry points themselves. */
  readonly shared: number;
  /** Without a frame of the library: a Python line alone, or the binding that enters it. */
  readonly withoutFrame: number;
}

/**
 * Of one thread's samples (`stack` is a row of the profile's stack table, -1 for none), by release in numeric order. Empty where no
 * sample has a native leaf of such a program.
 */
export function phaseResolution(
  packs: readonly RulePack[],
  profile: Profile,
  entries: Iterable<{ readonly stack: number; readonly weight: number }>,
  claimOf: (stack: number) => Claim,
): readonly PhaseResolution[] {
  const all = [...entries].filter(({ stack }) => stack >= 0);
  return packs.flatMap(({ checked, rules }) =>
    checked === undefined ? [] : ofProgram(checked, new Set(rules), profile, all, claimOf),
  );
}

function ofProgram(
  checked: CheckedPhases,
  own: ReadonlySet<Rule>,
  profile: Profile,
  entries: readonly { readonly stack: number; readonly weight: number }[],
  claimOf: (stack: number) => Claim,
): readonly PhaseResolution[] {
  // What follows looks at every stack of the profile, and there may be a thousand threads.
  if (entries.every(({ stack }) => claimOf(stack).bucket !== checked.bucket)) return [];
  const rowsIn = libraryOfRows(checked, profile);
  const { versions } = rowsIn;
  const known = new Set(versions.filter((version) => version !== undefined));
  // One process has loaded one release: it is that of the stacks that do not name it, too.
  const [only] = known.size === 1 ? known : [];
  const phases = new Set(checked.phases);
  const rows = new Map<string | undefined, { inPhase: number; shared: number; withoutFrame: number }>();
  for (const { stack, weight } of entries) {
    const { bucket, kind, rule } = claimOf(stack);
    if (bucket !== checked.bucket) continue;
    const version = versions[stack] ?? only;
    const row = rows.get(version) ?? { inPhase: 0, shared: 0, withoutFrame: 0 };
    rows.set(version, row);
    // Other packs have sub-kinds of the same names, told by their own means.
    const told = rule !== undefined && own.has(rule) ? kind : undefined;
    if (told !== undefined && phases.has(told)) row.inPhase += weight;
    else if (told === checked.shared || rowsIn.library[stack] === true) row.shared += weight;
    else row.withoutFrame += weight;
  }
  const found = [...rows].map(([version, row]): PhaseResolution => ({
    program: checked.program,
    ...(version === undefined ? {} : { version, checked: checked.versions.includes(version) }),
    ...row,
  }));
  return found.some(({ inPhase, shared }) => inPhase + shared > 0)
    ? found.sort((a, b) => (a.version ?? '').localeCompare(b.version ?? '', 'en', { numeric: true }))
    : [];
}

interface LibraryOfRows {
  /** Whether a frame of the library is on the stack, by row of the stack table. */
  readonly library: readonly boolean[];
  /** Its release, as the frame nearest to the leaf has it. */
  readonly versions: readonly (string | undefined)[];
}

function libraryOfRows({ library, program }: CheckedPhases, { frames, stacks }: Profile): LibraryOfRows {
  const ofFrames = frames.map((frame) => ({
    isIn: isInLibrary(frame, library),
    version: libraryVersion(frame, library, program),
  }));
  const isIn: boolean[] = [];
  const versions: (string | undefined)[] = [];
  for (let row = 0; row < stacks.length; row++) {
    const own = ofFrames[stacks.frame[row] ?? -1];
    const parent = stacks.parent[row] ?? -1;
    isIn.push(own?.isIn === true || isIn[parent] === true);
    versions.push(own?.version ?? versions[parent]);
  }
  return { library: isIn, versions };
}

/** A warning for each program whose phases were told by rules that were never held against its release. */
export function uncheckedVersionFindings(
  packs: readonly RulePack[],
  resolutions: readonly PhaseResolution[],
): readonly Finding[] {
  return packs.flatMap(({ id, checked }) => {
    if (checked === undefined) return [];
    const unchecked = resolutions.filter(
      (one) => one.program === checked.program && one.checked === false && one.inPhase > 0,
    );
    if (unchecked.length === 0) return [];
    const found = unchecked.map(({ version }) => version).join(' and ');
    return [
      {
        level: 'warning',
        id: `${id}-version-unchecked`,
        what: `This is ${checked.program} ${found}; the phases of ${checked.bucket} were checked against ${listed(checked.versions)}.`,
        why: `A function that one phase alone calls in one release may serve several in another, so parts of ${checked.bucket} may be mistaken for each other. Its sum and the other buckets do not depend on it.`,
        fix: `profiler hot --bucket ${checked.bucket} --by leaf  (the functions themselves)`,
      } satisfies Finding,
    ];
  });
}

function listed(versions: readonly string[]): string {
  const [last = '', ...others] = versions.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
}
