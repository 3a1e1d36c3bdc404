import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ProfilerError } from '../../model/index.js';
import type { Engine } from '../docker/engine.js';
import type { OverrideUndo } from '../journal/journal.js';
import type { Environment } from '../tools/folder.js';
import { type ProjectLine, projectArguments, upArguments } from './command-line.js';
import { composeEnvironment } from './environment.js';
import { inspectContainer, inspectService, nameOf } from './instances.js';
import { composeOrigin } from './origin.js';
import { chooseProfiles } from './profiles.js';
import { findComposeTool } from './tool.js';

/**
 * The way back for a service that runs with an override of ours which no journal knows: one that was applied by hand, or by another user.
 * Its labels name the original files; how the containers were before is not known. Undefined where it runs with none. Throws what
 * `composeOrigin`, `findComposeTool` and `chooseProfiles` throw.
 */
export async function adoptOverride(
  engine: Engine,
  container: string,
  env: Environment,
): Promise<OverrideUndo | undefined> {
  const info = await inspectContainer(engine.docker, container);
  if (info === undefined) return undefined;
  const origin = composeOrigin({ name: nameOf(info), labels: info.Config.Labels });
  if (origin.throwaway === undefined) return undefined;
  const missing = origin.configFiles.filter((path) => !existsSync(path));
  if (missing.length > 0) throw filesMissing(origin.service, missing);
  const cwd = existsSync(origin.workingDir) ? origin.workingDir : '/';
  const environment = composeEnvironment(env, engine);
  const tool = await findComposeTool(origin, { cwd, env: environment });
  const { profiles } = await chooseProfiles({ tool, origin }, { cwd, env: environment });
  const line: ProjectLine = { tool, origin, profiles };
  const { length } = await inspectService(engine.docker, origin.project, origin.service);
  return {
    engine: engine.host,
    project: origin.project,
    service: origin.service,
    folder: dirname(origin.throwaway),
    capabilities: [],
    before: [],
    settled: true,
    cwd,
    restore: [...projectArguments(line), ...upArguments(line, length, '-d')],
    environment: {},
    unset: [],
  };
}

function filesMissing(service: string, missing: readonly string[]): ProfilerError {
  return new ProfilerError({
    id: 'override-files-missing',
    what: `Service ${service} was made from files that are not here.`,
    list: missing,
    why: 'They were moved or deleted, or the project was brought up on another machine or inside a container.',
    fix: 'docker compose up -d  (where these files are)',
  });
}
