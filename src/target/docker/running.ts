import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { ProfilerError, shellLine } from '../../model/index.js';
import type { Container } from './container.js';
import type { Engine } from './engine.js';
import { inspectContainer, type Condition, type Inspected } from './inspect.js';

/** A crash loop looks like a restart that is about to succeed for as long as this. */
const RESTART_MS = 5_000;
const POLL_MS = 100;

/**
 * The container of that id once it runs; one that the engine restarts gets a few seconds. Throws `ProfilerError`: `container-created`,
 * `container-exited`, `container-paused`, `container-restarting`, `container-removing`, `container-dead`, and what `inspectContainer` throws.
 */
export async function runningContainer(
  engine: Engine,
  id: string,
  restartMs: number = RESTART_MS,
): Promise<Container> {
  let found = await inspectContainer(engine, id);
  for (let waited = 0; found.container.state === 'restarting' && waited < restartMs; waited += POLL_MS) {
    await delay(POLL_MS);
    found = await inspectContainer(engine, id);
  }
  if (found.container.state === 'running') return found.container;
  throw notRunning(found);
}

function notRunning({ container, condition }: Inspected): ProfilerError {
  const { name, state } = container;
  const docker = (...args: readonly string[]): string => shellLine(['docker', ...args, name]);
  switch (state) {
    case 'created':
      return new ProfilerError({
        id: 'container-created',
        what: `Container ${name} was created and never started.`,
        why: condition.error === '' ? 'Nobody has started it yet.' : `Its start failed: ${condition.error}.`,
        fix: docker('start'),
      });
    case 'paused':
      return new ProfilerError({
        id: 'container-paused',
        what: `Container ${name} is paused.`,
        why: 'All its processes are frozen, so there is nothing to measure.',
        fix: docker('unpause'),
      });
    case 'restarting':
      return new ProfilerError({
        id: 'container-restarting',
        what: `Container ${name} keeps ending and being restarted, so far ${container.restarts} times (policy ${container.restartPolicy}).`,
        why: `Its program ends by itself, the last time with ${endOf(condition)}.`,
        fix: docker('logs', '--tail', '20'),
      });
    case 'removing':
    case 'dead':
      return new ProfilerError({
        id: `container-${state}`,
        what: `Container ${name} is ${state === 'dead' ? 'dead' : 'being removed'}.`,
        why:
          state === 'dead'
            ? 'The engine failed to remove it; it can only be removed.'
            : 'It ends this moment.',
        fix: state === 'dead' ? docker('rm', '-f') : 'docker ps -a',
      });
    default:
      return new ProfilerError({
        id: 'container-exited',
        what: `Container ${name} does not run: it ended with ${endOf(condition)} at ${condition.finishedAt.replace(/\.\d+Z$/, 'Z')}.`,
        why: reasonOf(condition),
        fix: condition.exitCode === 0 ? docker('start') : docker('logs', '--tail', '20'),
      });
  }
}

const FIRST_SIGNAL_CODE = 128;

function signalOf(exitCode: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - FIRST_SIGNAL_CODE)?.[0];
}

function endOf({ exitCode }: Condition): string {
  const signal = signalOf(exitCode);
  return signal === undefined ? `exit code ${exitCode}` : `exit code ${exitCode} (${signal})`;
}

function reasonOf({ exitCode, outOfMemory, error }: Condition): string {
  if (outOfMemory) return 'It had no memory left and the kernel killed it.';
  if (error !== '') return `The engine said: ${error}.`;
  if (exitCode === 0) return 'Its program came to its end.';
  return signalOf(exitCode) === undefined ? 'Its program failed.' : 'It was stopped or killed.';
}
