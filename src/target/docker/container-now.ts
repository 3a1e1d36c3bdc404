import { ProfilerError, shellLine } from '../../model/index.js';
import type { Container } from './container.js';
import { statusOf } from './engine-error.js';
import type { Engine } from './engine.js';

/** What became of a container since it was described; `unknown` where the engine does not answer. */
export type ContainerNow = 'running' | 'paused' | 'ended' | 'restarted' | 'gone' | 'unknown';

/** Asks the engine. Never rejects. */
export async function containerNow({ docker }: Engine, { id, startedAt }: Container): Promise<ContainerNow> {
  try {
    const { State } = await docker.getContainer(id).inspect();
    if (State.StartedAt !== startedAt) return 'restarted';
    if (State.Paused) return 'paused';
    return State.Running ? 'running' : 'ended';
  } catch (error) {
    return statusOf(error) === 404 ? 'gone' : 'unknown';
  }
}

const WORDS: Readonly<
  Partial<
    Record<ContainerNow, { readonly id: string; readonly what: string; readonly fix: readonly string[] }>
  >
> = {
  paused: { id: 'container-paused', what: 'is paused', fix: ['docker', 'unpause'] },
  ended: { id: 'container-exited', what: 'ended meanwhile', fix: ['docker', 'logs', '--tail', '20'] },
  restarted: {
    id: 'container-restarted',
    what: 'was started anew meanwhile',
    fix: ['profiler', 'attach', '--container'],
  },
  gone: { id: 'no-such-container', what: 'was removed meanwhile', fix: ['docker', 'ps', '-a'] },
};

/** The error of a container that is not any more what it was; undefined where nothing is known against it. */
export function changedError(now: ContainerNow, { name }: Container): ProfilerError | undefined {
  const words = WORDS[now];
  if (words === undefined) return undefined;
  return new ProfilerError({
    id: words.id,
    what: `Container ${name} ${words.what}.`,
    why: now === 'paused' ? 'A paused container runs nothing.' : 'Its sampler went with it.',
    fix: now === 'gone' ? shellLine(words.fix) : shellLine([...words.fix, name]),
  });
}
