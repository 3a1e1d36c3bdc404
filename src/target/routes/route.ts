import type { Readable } from 'node:stream';
import type { Finding, ProfilerError } from '../../model/index.js';
import type { ContainerNow } from '../docker/container-now.js';
import type { Container } from '../docker/container.js';
import type { Engine } from '../docker/engine.js';
import type { Journal } from '../journal/journal.js';
import type { Target } from '../target.js';

/**
 * How a sampler gets beside its target. `direct`: both live in the same namespaces. The others are for targets in a container:
 * `nsenter` joins its namespaces, `sidecar` is a container of ours in its pid namespace, `exec` runs inside it, `host` reads it from
 * outside, `privileged` is exec with every capability.
 */
export type RouteId = 'direct' | 'nsenter' | 'sidecar' | 'exec' | 'host' | 'privileged';

/** What a route is tried with. */
export interface RouteContext {
  readonly target: Target;
  /** The static binary on this machine. */
  readonly pyspy: { readonly path: string; readonly version: string };
  /** Stop the target for each sample and read native frames too: needs more rights and the target's own files. */
  readonly native: boolean;
  /** Absent where no engine answers, or none is needed. */
  readonly engine?: Engine;
  /** Absent where the target lives in no container, or in one that no engine of ours knows. */
  readonly container?: Container;
  /** Whatever could outlive us is written here before it is made. */
  readonly journal: Journal;
  /** Goes in front of a command line for real-time priority; empty where that is refused. */
  readonly priority: readonly string[];
}

/** A program at work beside the target. */
export interface RoutedProcess {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The program's own pid on this machine, as soon as it is known; undefined where this machine does not show it. Never rejects. */
  readonly pid: Promise<number | undefined>;
  /**
   * Exit code, else the signal or the error that ended it (`SIGKILL`, `ENOENT`). Resolves once both streams have ended too. Never rejects.
   */
  readonly exit: Promise<number | string>;
  /** SIGINT to the program itself, wherever it runs. Never throws; does nothing once it has ended. */
  readonly interrupt: () => void;
  /** SIGKILL to the program itself. */
  readonly kill: () => void;
}

/** A way to the target that a probe has proved to work. */
export interface Route {
  readonly id: RouteId;
  /** The engine that serves it or knows its container, as `DOCKER_HOST` spells it; absent where there is none. */
  readonly engine?: string;
  /** Number by which the sampler calls the target there. */
  readonly targetPid: number;
  /** Where its samples go: to a file of ours that it can open by our path, or to its standard error, a pipe. */
  readonly output: 'file' | 'stderr';
  /** What limits the answer that comes this way. Read it again after a run: by then the sampler's priority was read back. */
  readonly findings: readonly Finding[];
  /** Command lines that a person could type instead, in order; the last one is the sampler's. `args` are py-spy's own. */
  readonly commands: (args: readonly string[]) => readonly (readonly string[])[];
  /** Content of a file as the target sees it, where this machine's /proc does not lead to it; undefined where there is none. May throw. */
  readonly fetch?: (path: string) => Promise<Uint8Array | undefined>;
  /** What became of the target's container, where this machine's /proc does not tell. Never rejects. */
  readonly now?: () => Promise<ContainerNow>;
  /** The error of a target that is not any more what it was; undefined where nothing is known against it. */
  readonly changed?: (now: ContainerNow) => ProfilerError | undefined;
  /** Runs py-spy with these arguments. Never throws: what cannot be started has an `exit` that says so. */
  readonly start: (args: readonly string[]) => RoutedProcess;
  /** Takes back all that the route made. Safe to call twice. Resolves with what could not be taken back. */
  readonly undo: () => Promise<readonly Finding[]>;
}

export type RouteProbe =
  | { readonly works: true; readonly route: Route }
  /** `finding` says which gate is closed and how to open it. */
  | { readonly works: false; readonly id: RouteId; readonly finding: Finding };

/**
 * One kind of route. `choose-route.ts` has `chooseRoute`, which probes, and `planRoute(context, via)`, which touches nothing: the first
 * kind (or the one named) without an obstacle, for `--dry-run`.
 */
export interface RouteKind {
  readonly id: RouteId;
  /** What stands in its way by the facts at hand, read without touching the target; undefined where it may work. */
  readonly obstacle: (context: RouteContext) => Finding | undefined;
  /** Number by which the sampler would call the target. */
  readonly targetPid: (context: RouteContext) => number;
  readonly output: Route['output'];
  /** As `Route.commands`, by the facts at hand. */
  readonly commands: (context: RouteContext, args: readonly string[]) => readonly (readonly string[])[];
  /** Tries it on the target with one stack dump that stops nobody. What it made for that is undone, or belongs to the route. */
  readonly probe: (context: RouteContext) => Promise<RouteProbe>;
}
