import { dirname, resolve } from 'node:path';
import { ProfilerError } from '../../model/index.js';
import { composeMember, isAlive, realPath, type ComposeMember } from './compose-member.js';
import type { Container } from './container.js';
import type { Engine } from './engine.js';
import { listContainers } from './find-container.js';
import { COMPOSE } from './labels.js';
import { runningContainer } from './running.js';
import type { ServiceQuery } from './service-query.js';
import { ambiguousProjects, needsIndex, noFile, noIndex, noProject, noService } from './service-errors.js';

/**
 * The running container of a service of a Compose project, of version 1 or 2, by labels alone: no file is read. Throws `ProfilerError`:
 * `compose-file-missing`, `no-such-project`, `no-such-service`, `service-elsewhere`, `service-ambiguous`, `service-scaled`,
 * `no-such-index`, and what `runningContainer` throws for one that does not run.
 */
export async function findService(engine: Engine, query: ServiceQuery): Promise<Container> {
  const files = (query.composeFiles ?? []).map((file) => existing(file, query.cwd ?? process.cwd()));
  const members = (await listContainers(engine, COMPOSE.project)).flatMap(
    (info) => composeMember(info) ?? [],
  );
  const inProject = ofProject(engine, members, query.project);
  const inFiles = files.length === 0 ? inProject : startedFrom(files, inProject);
  if (inFiles.length === 0) throw noFile(query, files, members);
  const found = inFiles.filter(({ service }) => service === query.service);
  if (found.length === 0) throw noService(query, inFiles, members);
  const projects = new Set(found.map(({ project }) => project));
  if (projects.size > 1) throw ambiguousProjects(query, found);
  return runningContainer(engine, pick(query, found).id);
}

function existing(file: string, cwd: string): string {
  const path = realPath(resolve(cwd, file));
  if (path !== undefined) return path;
  throw new ProfilerError({
    id: 'compose-file-missing',
    what: `There is no compose file ${file}.`,
    why: 'The name is wrong, or it is relative to another folder.',
    fix: 'docker compose ls --all  (the files of every project)',
  });
}

function ofProject(
  engine: Engine,
  members: readonly ComposeMember[],
  project: string | undefined,
): readonly ComposeMember[] {
  const inProject = project === undefined ? members : members.filter((member) => member.project === project);
  if (inProject.length === 0) throw noProject(engine, project, members);
  return inProject;
}

/** Those whose project was started from all of these files, else those whose project lives in the folder of the first. */
function startedFrom(files: readonly string[], members: readonly ComposeMember[]): readonly ComposeMember[] {
  const exact = members.filter((member) => files.every((file) => member.files.includes(file)));
  if (exact.length > 0) return exact;
  const folder = dirname(files[0] ?? '');
  return members.filter(({ workingDir }) => (realPath(workingDir) ?? workingDir) === folder);
}

function pick(query: ServiceQuery, found: readonly ComposeMember[]): ComposeMember {
  const numbers = [...new Set(found.map(({ number }) => number))].sort((a, b) => a - b);
  const [first = 1] = numbers;
  if (query.index === undefined && numbers.length > 1) throw needsIndex(query, found);
  const index = query.index ?? first;
  // An interrupted recreation leaves the old container beside the new one, under the same number.
  const [best] = found
    .filter(({ number }) => number === index)
    .sort((a, b) => Number(isAlive(b)) - Number(isAlive(a)) || b.createdAt - a.createdAt);
  if (best === undefined) throw noIndex(query, found);
  return best;
}
