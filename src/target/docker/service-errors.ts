import { ProfilerError, shellLine } from '../../model/index.js';
import type { ComposeMember } from './compose-member.js';
import type { Engine } from './engine.js';
import { nearestNames } from './nearest.js';
import type { ServiceQuery } from './service-query.js';

/** The line to type for a service; upper case words are for the reader to fill in. */
function lineToType(
  query: ServiceQuery,
  more: Partial<Record<'project' | 'service' | 'index', string>>,
): string {
  const { project = query.project, service = query.service, index = query.index } = more;
  return shellLine([
    'profiler',
    ...(query.command ?? ['attach']),
    ...(query.composeFiles ?? []).flatMap((file) => (more.project === undefined ? ['--compose', file] : [])),
    ...(project === undefined ? [] : ['--project', project]),
    '--service',
    service,
    ...(index === undefined ? [] : ['--index', String(index)]),
  ]);
}

const LIST = 'docker compose ls --all';

export function noProject(
  engine: Engine,
  project: string | undefined,
  members: readonly ComposeMember[],
): ProfilerError {
  if (project === undefined) {
    return new ProfilerError({
      id: 'no-such-project',
      what: `The engine at ${engine.host} has no container that Compose made.`,
      why: 'The project is not up, or another engine runs it.',
      fix: 'docker compose up -d  (or: docker context ls)',
    });
  }
  const near = nearestNames(
    project,
    members.map((member) => member.project),
  );
  return new ProfilerError({
    id: 'no-such-project',
    what: `There is no Compose project ${project} with containers in the engine at ${engine.host}.`,
    ...(near.length === 0 ? {} : { list: near }),
    why: near.length > 0 ? 'These have a name like it.' : 'It is not up, or has another name.',
    fix: LIST,
  });
}

/** No project comes from the files: the wish may still be told from the service. */
export function noFile(
  query: ServiceQuery,
  files: readonly string[],
  members: readonly ComposeMember[],
): ProfilerError {
  const elsewhere = members.filter(({ service }) => service === query.service);
  const [first] = elsewhere;
  const where = query.project === undefined ? 'No project' : `Project ${query.project} has no container that`;
  return new ProfilerError({
    id: first === undefined ? 'no-such-project' : 'service-elsewhere',
    what: `${where} was started from ${files.join(' and ')}.`,
    ...(first === undefined ? {} : { list: projectLines(elsewhere) }),
    why:
      first === undefined
        ? 'The project is not up, or was started from other files.'
        : `These projects have a service ${query.service}.`,
    fix: first === undefined ? LIST : lineToType(query, { project: onlyProject(elsewhere) ?? 'NAME' }),
  });
}

export function noService(
  query: ServiceQuery,
  inScope: readonly ComposeMember[],
  members: readonly ComposeMember[],
): ProfilerError {
  const project = onlyProject(inScope);
  const scope = project === undefined ? 'Compose project here' : `Compose project ${project}`;
  const elsewhere = members.filter(({ service }) => service === query.service);
  if (elsewhere.length > 0) {
    return new ProfilerError({
      id: 'service-elsewhere',
      what: `Service ${query.service} is not in ${scope}.`,
      list: projectLines(elsewhere),
      why: 'These projects have a service of that name.',
      fix: lineToType(query, { project: onlyProject(elsewhere) ?? 'NAME' }),
    });
  }
  const services = [...new Set(inScope.map(({ service }) => service))];
  const near = nearestNames(query.service, services);
  const [nearest] = near;
  return new ProfilerError({
    id: 'no-such-service',
    what: `There is no container of a service ${query.service} in ${project === undefined ? 'any' : 'the'} ${scope}.`,
    list: near.length > 0 ? near : services,
    why: near.length > 0 ? 'These have a name like it.' : 'These are the ones with containers.',
    fix: nearest === undefined ? 'docker compose ps --all' : lineToType(query, { service: nearest }),
  });
}

export function ambiguousProjects(query: ServiceQuery, found: readonly ComposeMember[]): ProfilerError {
  const lines = projectLines(found);
  return new ProfilerError({
    id: 'service-ambiguous',
    what: `${lines.length} Compose projects have a service ${query.service}.`,
    list: lines,
    why: 'Which of them is meant cannot be told.',
    fix: lineToType(query, { project: 'NAME' }),
  });
}

export function needsIndex(query: ServiceQuery, found: readonly ComposeMember[]): ProfilerError {
  return new ProfilerError({
    id: 'service-scaled',
    what: `Service ${query.service} of project ${found[0]?.project ?? ''} has ${found.length} containers.`,
    list: memberLines(found),
    why: 'Which of them is meant cannot be told.',
    fix: lineToType(query, { index: 'N' }),
  });
}

export function noIndex(query: ServiceQuery, found: readonly ComposeMember[]): ProfilerError {
  return new ProfilerError({
    id: 'no-such-index',
    what: `Service ${query.service} of project ${found[0]?.project ?? ''} has no container number ${query.index ?? ''}.`,
    list: memberLines(found),
    why: 'These are its containers.',
    fix: lineToType(query, { index: 'N' }),
  });
}

function memberLines(members: readonly ComposeMember[]): readonly string[] {
  return [...members]
    .sort((a, b) => a.number - b.number)
    .map(({ number, name, state }) => `${number}: ${name}, ${state}`);
}

/** `robot: 2 containers (running, exited), from /home/me/robot/compose.yaml`. */
function projectLines(members: readonly ComposeMember[]): readonly string[] {
  const projects = [...new Set(members.map(({ project }) => project))];
  return projects.map((project) => {
    const own = members.filter((member) => member.project === project);
    const states = [...new Set(own.map(({ state }) => state))].join(', ');
    const files = own[0]?.files.join(' and ') ?? '';
    return `${project}: ${own.length} container${own.length === 1 ? '' : 's'} (${states}), from ${files}`;
  });
}

function onlyProject(members: readonly ComposeMember[]): string | undefined {
  const projects = new Set(members.map(({ project }) => project));
  return projects.size === 1 ? [...projects][0] : undefined;
}
