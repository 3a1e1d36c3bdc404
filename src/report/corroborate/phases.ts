import type { CostTable, Phase } from '../../simulator/index.js';
import { FLOOR, countingHalfWidth } from '../../stats/index.js';
import { type CorroborationLine, type Figure, notComparable, verdictOf } from './line.js';
import { inStep } from './physics-share.js';
import { type Sampled, TOGETHER } from './sampled.js';

const OF_POSITION = [
  'kinematics',
  'inertia',
  'collision',
  'make-constraint',
  'project-constraint',
  'position',
];

/** Sub-kinds of physics whose leaves no other phase has. What is `shared` by parts of one phase only, may be of any of them. */
interface Leaves {
  readonly own: readonly string[];
  readonly shared?: readonly string[];
}

const LEAVES: Readonly<Partial<Record<Phase, Leaves>>> = {
  FORWARD: {
    own: [...OF_POSITION, 'velocity', 'actuation', 'acceleration', 'constraint', 'sensors'],
    shared: ['check'],
  },
  POSITION: { own: OF_POSITION },
  POS_KINEMATICS: { own: ['kinematics'], shared: ['position'] },
  POS_INERTIA: { own: ['inertia'], shared: ['position'] },
  POS_COLLISION: { own: ['collision'], shared: ['position'] },
  POS_MAKE: { own: ['make-constraint'], shared: ['position'] },
  POS_PROJECT: { own: ['project-constraint'], shared: ['position'] },
  VELOCITY: { own: ['velocity'] },
  ACTUATION: { own: ['actuation'] },
  CONSTRAINT: { own: ['constraint'] },
  ADVANCE: { own: ['advance'] },
};

/** Every sub-kind that tells a phase; all other samples of physics may be of any. */
const TOLD: ReadonlySet<string> = new Set([
  ...OF_POSITION,
  ...(LEAVES.FORWARD?.own ?? []),
  'advance',
  'check',
]);

/**
 * Each phase that MuJoCo timed, as part of the step, against the native leaves of the physics bucket. Many leaves are functions that several
 * phases share: they are a range, from none of them to all. So time that a phase spends in shared functions alone, as PGS spends
 * its projection of constraints, is no disagreement.
 */
export function phaseLines(
  timers: CostTable,
  sampled: Sampled,
  phaseOfRow: (name: string) => Phase | undefined,
): readonly CorroborationLine[] {
  const rows = timers.rows.filter(({ role, share }) => role === 'part' && share !== undefined);
  const [thread] = sampled.threads;
  if (rows.length === 0 || thread === undefined) return [];
  const byKind = new Map<string, number>();
  let all = 0;
  for (const { stack, weight, states } of inStep(thread, sampled)) {
    const { kind } = sampled.claimOf(stack);
    // A thread without the CPU stands in whatever it did before, and after the step where it waits for the GIL.
    const own = states === undefined ? weight : states.running;
    const key = kind !== undefined && TOLD.has(kind) ? kind : '';
    byKind.set(key, (byKind.get(key) ?? 0) + own);
    all += own;
  }
  const told = [...byKind].reduce((sum, [kind, weight]) => sum + (kind === '' ? 0 : weight), 0);
  const why = sampled.isLoad
    ? 'the recording is of the start-up, before any step'
    : told === 0
      ? 'no native function of MuJoCo is in the samples: record with --native, or --backend py-spy+perf'
      : undefined;
  if (why !== undefined) return [notComparable('phase', 'phases of the step', 'share', why)];
  const { bias } = thread.answer.estimate.pools;
  const margin = (own: number): number => TOGETHER * countingHalfWidth(own, all) + FLOOR + bias;
  return rows.map(({ name, share = 0 }): CorroborationLine => {
    const phase = phaseOfRow(name);
    const leaves = phase === undefined ? undefined : LEAVES[phase];
    if (leaves === undefined)
      return notComparable(
        'phase',
        name,
        'share',
        'no leaf tells it from the other parts of its phase',
        share,
      );
    const sum = (kinds: readonly string[]): number =>
      kinds.reduce((total, kind) => total + (byKind.get(kind) ?? 0), 0);
    const own = sum(leaves.own);
    const most = own + sum(leaves.shared ?? []) + (byKind.get('') ?? 0);
    const samples: Required<Figure> = {
      value: own / all,
      low: Math.max(0, own / all - margin(own)),
      high: Math.min(1, most / all + margin(most)),
    };
    const verdict = verdictOf({ value: share }, samples);
    return {
      subject: 'phase',
      name,
      unit: 'share',
      table: { value: share },
      samples,
      verdict,
      ...(verdict === 'agrees' ? {} : { reason: whyNot(timers, share, samples) }),
    };
  });
}

function whyNot({ findings }: CostTable, share: number, { high }: Required<Figure>): string {
  const has = (id: string): boolean => findings.some((finding) => finding.id === id);
  if (share > high)
    return has('mujoco-callback-cost')
      ? 'the clock of MuJoCo is a callback in Python here: its own time weighs most in short phases'
      : 'the timers are of all of the run, and contacts differ from one time to another; the sampler may have slowed the rest';
  return 'what MuJoCo does not time (sensors, energy, checks) may stand in these functions, too; or the recording saw more contacts than the rest of the run';
}
