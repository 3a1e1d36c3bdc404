import { ProfilerError } from '../../model/index.js';
import type { ComposeOrigin } from './origin.js';
import { type ComposePlace, runCompose } from './run-compose.js';

/** The Compose that works here. */
export interface ComposeTool {
  /** `docker compose`, or `docker-compose`. */
  readonly argv: readonly string[];
  readonly generation: 'v1' | 'v2';
  readonly version: string;
}

/**
 * The Compose of the generation that made the project: the other one would make every container anew. Throws ProfilerError
 * `compose-missing`, which says what to install.
 */
export async function findComposeTool(origin: ComposeOrigin, place: ComposePlace): Promise<ComposeTool> {
  const tries =
    origin.generation === 'v1' ? [['docker-compose']] : [['docker', 'compose'], ['docker-compose']];
  for (const argv of tries) {
    const run = await runCompose([...argv, 'version', '--short'], place);
    const version = run.out.trim().replace(/^v/, '');
    if (run.code !== 0 || version === '') continue;
    const generation = version.startsWith('1.') ? 'v1' : 'v2';
    if (generation === origin.generation) return { argv, generation, version };
  }
  throw missing(origin);
}

function missing({ generation, project, version }: ComposeOrigin): ProfilerError {
  const made = version === '' ? 'Compose v2' : `Compose ${version}`;
  return new ProfilerError({
    id: 'compose-missing',
    what: `Project ${project} was made by ${made}, and ${generation === 'v1' ? 'docker-compose v1' : 'docker compose'} is not here.`,
    why: 'Only the generation that made a project can change one service of it; the other one would make all of them anew.',
    fix:
      generation === 'v1'
        ? 'pip install docker-compose==1.29.2'
        : 'apt-get install docker-compose-plugin  (or docker-compose-v2)',
  });
}
