import { existsSync } from 'node:fs';
import type Docker from 'dockerode';
import { type Finding, ProfilerError, shellLine } from '../../model/index.js';
import type { Engine } from '../docker/engine.js';
import type { OverrideUndo, ServiceInstance } from '../journal/journal.js';
import type { Environment } from '../tools/folder.js';
import {
  type CapabilityChoice,
  type CapabilityWish,
  chooseCapabilities,
  missingCapabilities,
} from './capabilities.js';
import { type ProjectLine, projectArguments, upArguments } from './command-line.js';
import { inWords } from './engine-words.js';
import { composeEnvironment, overruledVariables, recordVariables } from './environment.js';
import { environmentOf, inspectContainer, inspectService, instanceOf, nameOf } from './instances.js';
import { findLosses } from './losses.js';
import { type ComposeOrigin, composeOrigin } from './origin.js';
import { overrideFile } from './override-file.js';
import { predict } from './predict.js';
import { chooseProfiles } from './profiles.js';
import { type ComposePlace, runCompose } from './run-compose.js';
import { findSharers, type NamespaceSharer } from './sharers.js';
import { throwawayFile, throwawayFolder } from './throwaway.js';
import { type ComposeTool, findComposeTool } from './tool.js';
import { zeroXFile, type ZeroXWish } from './zero-x-file.js';

export interface OverrideQuery extends CapabilityWish {
  readonly engine: Engine;
  /** Id of the container to profile; with others of its service it would be made anew. */
  readonly container: string;
  /** Environment of the user: Compose puts its variables into the files. */
  readonly env: Environment;
  /** Instead of capabilities: 0x starts the service's program. */
  readonly zeroX?: ZeroXWish;
}

/** What an override would do. Nothing has been touched or written. */
export interface OverridePlan {
  readonly project: string;
  readonly service: string;
  readonly tool: ComposeTool;
  readonly container: { readonly id: string; readonly name: string };
  /** Lacking in the container, and added by the file. Empty: there is nothing to do. */
  readonly capabilities: readonly string[];
  /** The service's program is started by 0x. */
  readonly zeroX?: ZeroXWish;
  /** The throwaway: its path, which nothing has yet, and its text. */
  readonly file: { readonly path: string; readonly text: string };
  readonly commands: {
    /** Changes nothing and says what `apply` would do. Absent where this Compose has no such thing. */
    readonly predict?: readonly string[];
    readonly apply: readonly string[];
    readonly restore: readonly string[];
  };
  /** Containers that are made anew, all of the service's. */
  readonly recreated: readonly string[];
  readonly lost: readonly string[];
  readonly sharers: readonly NamespaceSharer[];
  /** Blockers: each alone is reason enough not to apply it. */
  readonly obstacles: readonly Finding[];
  readonly findings: readonly Finding[];
  /** To write down before anything is done. */
  readonly undo: OverrideUndo;
  readonly place: ComposePlace;
  /** Variables of the user's shell that would make the commands do something else, and that are not passed on. */
  readonly overruled: readonly string[];
}

/**
 * Works out the override of one running compose service, and asks Compose what it would do. Throws ProfilerError:
 * `override-not-running`, `override-in-place`, `override-files-missing`, what `composeOrigin`, `findComposeTool` and `chooseProfiles`
 * throw.
 */
export function planOverride(query: OverrideQuery): Promise<OverridePlan> {
  return inWords('describe the service', query.container, () => plan(query));
}

async function plan(query: OverrideQuery): Promise<OverridePlan> {
  const { engine, env } = query;
  const info = await inspectContainer(engine.docker, query.container);
  if (info === undefined) throw notRunning(query.container.slice(0, 12), 'gone', '');
  const name = nameOf(info);
  const origin = composeOrigin({ name, labels: info.Config.Labels });
  if (info.State.Status !== 'running') throw notRunning(name, info.State.Status, origin.service);
  const { zeroX } = query;
  const none: CapabilityChoice = { capabilities: [], findings: [] };
  const wish = zeroX === undefined ? await chooseCapabilities(engine, query) : none;
  const settings = instanceOf(info);
  const missing = missingCapabilities(wish.capabilities, settings);
  const isNeeded = missing.length > 0 || zeroX !== undefined;
  if (origin.throwaway !== undefined && isNeeded) throw inPlace(origin, missing);
  if (isNeeded) checkFiles(origin);
  const place = {
    cwd: existsSync(origin.workingDir) ? origin.workingDir : '/',
    env: composeEnvironment(env, engine),
  };
  const text =
    zeroX === undefined ? overrideFile(origin.service, missing) : byZeroX(query, zeroX, info, origin);
  const found = {
    name,
    info,
    origin,
    place,
    missing,
    text,
    overruled: overruledVariables(env),
    ...(zeroX && { zeroX }),
  };
  if (!isNeeded) return nothingToDo(engine, found, wish.findings);
  return planChange(engine, found, wish.findings);
}

interface Found {
  readonly name: string;
  readonly info: Docker.ContainerInspectInfo;
  readonly origin: ComposeOrigin;
  readonly place: ComposePlace;
  readonly missing: readonly string[];
  readonly text: string;
  readonly zeroX?: ZeroXWish;
  readonly overruled: readonly string[];
}

async function planChange(engine: Engine, found: Found, known: readonly Finding[]): Promise<OverridePlan> {
  const { info, origin, place, text } = found;
  const tool = await findComposeTool(origin, place);
  const choice = await chooseProfiles({ tool, origin }, place);
  const line: ProjectLine = { tool, origin, profiles: choice.profiles };
  const infos = await inspectService(engine.docker, origin.project, origin.service);
  const running = infos.filter(({ State }) => State.Running);
  const prediction = await predict({ docker: engine.docker, line, place, infos, text });
  const sharers = await findSharers(
    engine.docker,
    infos.map(({ Id }) => Id),
  );
  const base = outline(engine, found, line, infos.map(instanceOf));
  return {
    ...base,
    recreated: infos.map(nameOf),
    lost: await findLosses(engine.docker, running),
    sharers,
    obstacles: [
      ...prediction.obstacles,
      ...(sharers.length === 0 ? [] : [shared(line, origin, sharers)]),
      ...(found.zeroX !== undefined && infos.length > 1 ? [scaled(origin, infos.length)] : []),
    ],
    findings: [
      ...known,
      ...prediction.findings,
      ...(choice.because === undefined ? [] : [profileNote(choice.because)]),
    ],
    undo: { ...base.undo, ...recordVariables(place.env, await variableSources(line, place, info)) },
  };
}

/** Everything that follows from the labels alone. */
function outline(
  engine: Engine,
  found: Found,
  line: ProjectLine,
  before: readonly ServiceInstance[],
): Omit<OverridePlan, 'recreated' | 'lost' | 'sharers' | 'obstacles' | 'findings'> {
  const { name, info, origin, place, missing, text, zeroX, overruled } = found;
  const folder = throwawayFolder();
  const path = throwawayFile(folder);
  const scale = before.length;
  const restore = [...projectArguments(line), ...upArguments(line, scale, '-d')];
  const over = projectArguments(line, path);
  return {
    project: origin.project,
    service: origin.service,
    tool: line.tool,
    container: { id: info.Id, name },
    capabilities: missing,
    ...(zeroX && { zeroX }),
    file: { path, text },
    commands: {
      ...(line.tool.generation === 'v1'
        ? {}
        : { predict: [...over, ...upArguments(line, scale, '-d', '--dry-run')] }),
      apply: [...over, ...upArguments(line, scale, '-d')],
      restore,
    },
    undo: {
      engine: engine.host,
      project: origin.project,
      service: origin.service,
      folder,
      capabilities: missing,
      before,
      settled: false,
      cwd: place.cwd,
      restore,
      environment: {},
      unset: [],
    },
    place,
    overruled,
  };
}

function nothingToDo(engine: Engine, found: Found, known: readonly Finding[]): OverridePlan {
  const { name, info, origin } = found;
  const { capAdd, privileged } = instanceOf(info);
  const argv = origin.generation === 'v1' ? ['docker-compose'] : ['docker', 'compose'];
  const tool: ComposeTool = { argv, generation: origin.generation, version: origin.version };
  const note: Finding = {
    level: 'note',
    id: origin.throwaway === undefined ? 'override-needless' : 'override-in-place',
    what: `Container ${name} has ${privileged ? 'every capability (privileged)' : capAdd.join(', ')} already.`,
    why:
      origin.throwaway === undefined
        ? 'Nothing has to be changed or made anew.'
        : `It runs with an override of ours (${origin.throwaway}).`,
    ...(origin.throwaway === undefined
      ? {}
      : { fix: `profiler override --restore --service ${origin.service} --project ${origin.project}` }),
  };
  return {
    ...outline(engine, found, { tool, origin, profiles: [] }, [instanceOf(info)]),
    recreated: [],
    lost: [],
    sharers: [],
    obstacles: [],
    findings: [...known, note],
  };
}

/** Throws ProfilerError `override-0x-remote`, `override-0x-not-node`. */
function byZeroX(
  { engine }: OverrideQuery,
  wish: ZeroXWish,
  { Config }: Docker.ContainerInspectInfo,
  { service }: ComposeOrigin,
): string {
  if (!engine.local)
    throw new ProfilerError({
      id: 'override-0x-remote',
      what: `The engine is on another machine (${engine.host}), where neither 0x nor a folder for its page can be lent from here.`,
      why: 'Both are folders of this machine that the container would see.',
      fix: `profiler attach --service ${service}  (through the inspector, on that machine)`,
    });
  const start = { entrypoint: [Config.Entrypoint ?? []].flat(), command: Config.Cmd ?? [] };
  const text = zeroXFile(service, wish, start);
  if (text !== undefined) return text;
  throw new ProfilerError({
    id: 'override-0x-not-node',
    what: `Service ${service} does not start node itself: it runs ${[...start.entrypoint, ...start.command].join(' ')}.`,
    why: '0x has to start node with flags of its own, and knows no shell or launcher around it.',
    fix: `profiler attach --service ${service}  (through the inspector, without a restart)`,
  });
}

function scaled({ service }: ComposeOrigin, count: number): Finding {
  return {
    level: 'blocker',
    id: 'override-0x-scaled',
    what: `Service ${service} has ${count} containers.`,
    why: 'All of them would write into the same folder of 0x.',
    fix: `profiler attach --service ${service} --index 1  (through the inspector, without a restart)`,
  };
}

async function variableSources(
  line: ProjectLine,
  place: ComposePlace,
  info: Docker.ContainerInspectInfo,
): Promise<Parameters<typeof recordVariables>[1]> {
  const { configFiles, environmentFiles } = line.origin;
  const told =
    line.tool.generation === 'v1'
      ? undefined
      : await runCompose([...projectArguments(line), 'config', '--variables'], place);
  // A table with a heading; an older plugin does not know the flag and fails.
  const rows = told?.code === 0 ? told.out.split('\n').slice(1) : [];
  return {
    files: [...configFiles, ...environmentFiles],
    known: rows.flatMap((row) => /^[A-Za-z_]\w*/.exec(row)?.[0] ?? []),
    settings: environmentOf(info),
  };
}

function profileNote(because: string): Finding {
  return {
    level: 'note',
    id: 'override-profile',
    what: because,
    why: 'The labels of a container do not say which profiles were on.',
  };
}

function shared(line: ProjectLine, origin: ComposeOrigin, sharers: readonly NamespaceSharer[]): Finding {
  const kinds = [...new Set(sharers.flatMap(({ shares }) => shares))].join(', ');
  const services = sharers.flatMap(({ service }) => service ?? []);
  return {
    level: 'blocker',
    id: 'override-shares-namespace',
    what: `Other containers live in the ${kinds} namespace of service ${origin.service}.`,
    list: sharers.map(({ name, shares }) => `${name}  (${shares.join(', ')})`),
    why: 'They are killed or cut off when it is made anew, and do not come back by themselves.',
    fix:
      services.length === sharers.length
        ? `${shellLine([...projectArguments(line), 'stop', ...services])}  (and up -d afterwards)`
        : `${shellLine(['docker', 'stop', ...sharers.map(({ name }) => name)])}  (start them anew afterwards)`,
  };
}

/** The files must be here as they were there: a project may have been brought up on another machine or from another container. */
function checkFiles(origin: ComposeOrigin): void {
  const absent = [...origin.configFiles, ...origin.environmentFiles].filter((path) => !existsSync(path));
  if (absent.length === 0 && origin.configFiles.length > 0) return;
  throw new ProfilerError({
    id: 'override-files-missing',
    what: `Project ${origin.project} was made from files that are not here.`,
    list: absent,
    why: 'They were moved or deleted, or the project was brought up on another machine or inside a container.',
    fix: 'profiler override …  (where these files are, with DOCKER_HOST naming the engine)',
  });
}

function notRunning(name: string, state: string, service: string): ProfilerError {
  return new ProfilerError({
    id: 'override-not-running',
    what: `Container ${name} does not run: it is ${state}.`,
    why: 'An override changes a running service, and what does not run is not started behind your back.',
    fix:
      state === 'paused'
        ? `docker unpause ${name}`
        : `docker compose up -d ${service === '' ? 'SERVICE' : service}`,
  });
}

function inPlace(origin: ComposeOrigin, missing: readonly string[]): ProfilerError {
  return new ProfilerError({
    id: 'override-in-place',
    what: `Service ${origin.service} runs with an override of ours already, which lacks ${missing.join(', ')}.`,
    why: 'A second one on top could not be undone cleanly.',
    fix: `profiler override --restore --service ${origin.service} --project ${origin.project}`,
  });
}
