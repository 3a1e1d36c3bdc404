import type { Finding } from '../model/index.js';
import type { GilProbe, NodeRoute, PerfRoute, Realtime, Route, StepProbe, Target } from '../target/index.js';

/** perf, where it samples together with another sampler. */
export interface Beside extends Pick<PerfRoute, 'mode' | 'script' | 'route'> {
  readonly version: string;
}

/** What the user asked for, resolved. */
export interface CaptureRequest {
  readonly target: Target;
  /** The way to it. */
  readonly route: Route;
  /** Whether this machine grants real-time priority. */
  readonly realtime: Realtime;
  /** The sampler's program. */
  readonly sampler: { readonly path: string; readonly version: string };
  /** Where perf samples instead: how, and what reads its files. `route` is then its own. */
  readonly perf?: Pick<PerfRoute, 'mode' | 'script'>;
  /** Where V8 samples itself instead: the inspector that tells it to. `route` is then its own. */
  readonly node?: Pick<NodeRoute, 'address' | 'wasOpen'>;
  /** Whether our own sampler of CPython is used instead. `route` is then its own. */
  readonly cpython?: true;
  /** perf beside the sampler, over the same slices: native stacks for the lines that the sampler sees. */
  readonly beside?: Beside;
  /** A probe on the target's steps, on and read by nobody else. The caller closes it. */
  readonly steps?: StepProbe;
  /** What was found out before it began. */
  readonly findings?: readonly Finding[];
  /** A probe on how the target takes the GIL, likewise. */
  readonly gil?: GilProbe;
  readonly durationS: number;
  /** Samples a second; left out, the loop decides (`rate.ts`). */
  readonly rateHz?: number;
  /** Length of one slice in seconds. */
  readonly sliceS: number;
  readonly native: boolean;
  /** Seconds of loop rate before and after; 0 skips them. */
  readonly baselineS: number;
  /** TID of the physics thread if the user named it. */
  readonly threadTid?: number;
  /** New or empty folder. */
  readonly folder: string;
  readonly label?: string;
  /** The target was made anew for this recording, with a right that it had not. */
  readonly overridden?: true;
  /** We started the target and follow its loop: it may end at any moment, which is no fault, and its slices grow. */
  readonly loopOnly?: true;
  /** What is recorded is no loop, but what a program does before it. */
  readonly phase?: 'load';
  /** When the program was started: CLOCK_MONOTONIC nanoseconds. With `phase` only. */
  readonly startedNs?: bigint;
}

/** A request whose rate is settled. */
export type RatedRequest = CaptureRequest & { readonly rateHz: number };

/** What is known of a route that was not tried. */
export type PlannedRoute = Pick<Route, 'id' | 'targetPid' | 'output' | 'commands'>;

/** What a plan is made from. It may name a route that nobody tried. */
export type PlanRequest = Omit<CaptureRequest, 'route'> & { readonly route: PlannedRoute };
export type RatedPlanRequest = PlanRequest & { readonly rateHz: number };

/** Progress of a capture, for the terminal. */
export type CaptureEvent =
  | { readonly kind: 'phase'; readonly phase: 'before' | 'sampling' | 'after' | 'writing' }
  | { readonly kind: 'progress'; readonly doneS: number; readonly totalS: number; readonly samples: number };

/** One command line of a plan, as data: `--dry-run` and the unit test are the same thing. */
export interface PlannedCommand {
  readonly argv: readonly string[];
  readonly purpose: string;
}

export interface Plan {
  readonly backend: string;
  /** Id of the route. */
  readonly route: string;
  readonly commands: readonly PlannedCommand[];
  /** What the plan costs the target, said before it runs. */
  readonly cost: string;
}
