import { readFileSync } from 'node:fs';
import type { Engine } from '../docker/engine.js';
import type { Environment } from '../tools/folder.js';

/** These would change what the flags say, or the words that are read. */
const OVERRULED: ReadonlySet<string> = new Set([
  'COMPOSE_FILE',
  'COMPOSE_PROJECT_NAME',
  'COMPOSE_ENV_FILES',
  'COMPOSE_REMOVE_ORPHANS',
  'COMPOSE_DRY_RUN',
  'COMPOSE_ANSI',
]);

/** Those variables of a shell that our Compose commands do not get. */
export function overruledVariables(env: Environment): readonly string[] {
  return [...OVERRULED].filter((name) => env[name] !== undefined);
}

/** Environment of our Compose commands: the user's own, since Compose puts its variables into the files. */
export function composeEnvironment(env: Environment, engine: Pick<Engine, 'host'>): Record<string, string> {
  const own = Object.entries(env).filter(([name]) => !OVERRULED.has(name));
  const set = own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return {
    ...Object.fromEntries(set),
    COMPOSE_PROGRESS: 'plain',
    COMPOSE_ANSI: 'never',
    // The same engine that was asked, whatever named it. One behind TLS is named by more than this.
    ...(engine.host.startsWith('unix://') ? { DOCKER_HOST: engine.host } : {}),
  };
}

/** Read by Docker and Compose themselves. */
const ALWAYS = [
  'PATH',
  'HOME',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'COMPOSE_PROFILES',
  'COMPOSE_COMPATIBILITY',
  'COMPOSE_DISABLE_ENV_FILE',
];

export interface RecordedVariables {
  readonly environment: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
}

/**
 * The variables that decide what Compose makes of the files: written down, since another shell may have to restore. Not the whole
 * environment, which holds secrets that are none of its business. `known` are names that Compose told, `settings` the running
 * container's `NAME=VALUE`: one that equals ours may have been passed through.
 */
export function recordVariables(
  env: Readonly<Record<string, string>>,
  from: {
    readonly files: readonly string[];
    readonly known: readonly string[];
    readonly settings: readonly string[];
  },
): RecordedVariables {
  const named = from.files.flatMap(variablesIn);
  const passed = from.settings.flatMap((setting) => {
    const name = setting.split('=', 1)[0] ?? '';
    return setting === `${name}=${env[name] ?? ''}` ? [name] : [];
  });
  const names = [...new Set([...ALWAYS, ...named, ...from.known, ...passed])].sort();
  return {
    environment: Object.fromEntries(
      names.flatMap((name) => {
        const value = env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    unset: names.filter((name) => env[name] === undefined),
  };
}

/** Names behind a dollar sign in a file; none where it cannot be read. */
function variablesIn(file: string): readonly string[] {
  try {
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map((match) => match[1] ?? '');
  } catch {
    return [];
  }
}

/** The environment of now, with the recorded variables as they were. */
export function replayVariables(
  env: Readonly<Record<string, string>>,
  recorded: RecordedVariables,
): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !recorded.unset.includes(name));
  return { ...Object.fromEntries(kept), ...recorded.environment };
}
