import type Docker from 'dockerode';
import { type Finding, shellLine } from '../../model/index.js';
import { type ProjectLine, projectArguments, upArguments } from './command-line.js';
import { findDrift, hashIsAs, imageDrift, resolvedHash } from './drift.js';
import { changes, type DryRunStep, parseDryRun } from './dry-run.js';
import { nameOf } from './instances.js';
import { type ComposePlace, composeFailed, runCompose } from './run-compose.js';

export interface PredictQuery {
  readonly docker: Docker;
  readonly line: ProjectLine;
  readonly place: ComposePlace;
  /** The service's containers. */
  readonly infos: readonly Docker.ContainerInspectInfo[];
  /** Text of the throwaway file. */
  readonly text: string;
}

export interface Prediction {
  readonly obstacles: readonly Finding[];
  readonly findings: readonly Finding[];
}

/**
 * Asks Compose twice what `up` would do: without the throwaway it must leave everything as it is, or else something has changed
 * since the service was started, and would be brought along; with it, it must make this service anew and touch nothing else. Nothing
 * is changed. Where Compose has no dry run, hashes are compared instead, and a finding says what that cannot see. Throws ProfilerError
 * `compose-failed`.
 */
export async function predict(query: PredictQuery): Promise<Prediction> {
  const { line, infos } = query;
  if (line.tool.generation === 'v1') return predictByHash(query);
  const flags = upArguments(line, infos.length, '-d', '--dry-run');
  const plain = [...projectArguments(line), ...flags];
  const asItIs = await runCompose(plain, query.place);
  if (asItIs.code !== 0 && /unknown flag: --dry-run/.test(asItIs.err)) return predictByHash(query);
  if (asItIs.code !== 0) throw composeFailed(plain, asItIs.err);
  const drifted = changes(parseDryRun(asItIs.err));
  if (drifted.length > 0) return { obstacles: [await drift(query, drifted)], findings: [] };
  const over = [...projectArguments(line, '-'), ...flags];
  const applied = await runCompose(over, query.place, query.text);
  if (applied.code !== 0) throw composeFailed(over, applied.err);
  const others = changes(parseDryRun(applied.err)).filter((step) => !isOurs(step, infos));
  return { obstacles: others.length === 0 ? [] : [widerThanWanted(line, others)], findings: [] };
}

/** A step about one of the service's own containers. */
function isOurs({ kind, name }: DryRunStep, infos: readonly Docker.ContainerInspectInfo[]): boolean {
  return kind === 'Container' && infos.some((info) => nameOf(info) === plainName(name));
}

async function predictByHash({ docker, line, place, infos }: PredictQuery): Promise<Prediction> {
  const hash = await resolvedHash(line, place);
  const images = (await Promise.all(infos.map((info) => imageDrift(docker, info)))).flat();
  const other = infos.filter((info) => !hashIsAs(info, hash));
  const note: Finding = {
    level: 'note',
    id: 'override-no-dry-run',
    what: `Compose ${line.tool.version} cannot say beforehand what it would do: hashes and images were compared instead.`,
    why: 'That does not see a volume or a network that was made anew since.',
  };
  if (other.length === 0 && images.length === 0) return { obstacles: [], findings: [note] };
  const steps = infos.map((info) => ({ kind: 'Container', name: nameOf(info), action: 'Recreate' }));
  return { obstacles: [await drift({ docker, line, place, infos, text: '' }, steps)], findings: [note] };
}

async function drift(
  { docker, line, place, infos }: PredictQuery,
  steps: readonly DryRunStep[],
): Promise<Finding> {
  const { service, project } = line.origin;
  const found = await Promise.all(infos.map((info) => findDrift(docker, line, place, info)));
  const reasons = [...new Set(found.flat())];
  return {
    level: 'blocker',
    id: 'override-drifted',
    what: `Service ${service} of project ${project} is not what its files say any more: without any override Compose would change it (${stepText(steps)}).`,
    list:
      reasons.length === 0
        ? ['A network or a volume of the service was made anew, or its definition changed.']
        : reasons,
    why: 'The change would come along, so that you would profile another program than the one that runs, and the original could not be brought back.',
    fix: `${shellLine([...projectArguments(line), 'up', '-d', service])}  (brings it up to date; or set the shell and the files as they were)`,
  };
}

function widerThanWanted({ origin }: ProjectLine, steps: readonly DryRunStep[]): Finding {
  return {
    level: 'blocker',
    id: 'override-touches-others',
    what: `The override would change more than service ${origin.service} (${stepText(steps)}).`,
    why: 'Only the one service may be made anew.',
    fix: 'profiler attach --via sidecar  (needs no restart)',
  };
}

/** The first step about each thing, which says what is in store for it. */
function stepText(steps: readonly DryRunStep[]): string {
  const first = new Map<string, string>();
  for (const { kind, name, action } of steps) {
    const thing = `${kind} ${plainName(name)}`;
    if (!first.has(thing)) first.set(thing, action);
  }
  return [...first].map(([thing, action]) => `${thing}: ${action}`).join(', ');
}

/** Without what a container has before its name until the old one is gone. */
function plainName(name: string): string {
  return name.replace(/^[0-9a-f]{12}_/, '');
}
