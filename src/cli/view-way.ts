import { shellLine } from '../model/index.js';

/** What decides how a viewer can be shown here. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Whether someone reads standard output, and can end what runs. */
  readonly isTerminal: boolean;
  /** Name of this machine. */
  readonly hostname: string;
}

/**
 * How a view is shown. `write`: into a file, since nobody could see it here. `serve`: on a port, with the browser opened or not;
 * `leaves`: it ends by itself once the browser has it, or after a while without one, because nobody is there to end it.
 */
export type ViewWay =
  | { readonly kind: 'write'; readonly why: string }
  | { readonly kind: 'serve'; readonly opens: boolean; readonly leaves: boolean; readonly overSsh: boolean };

/** @param opens whether a browser may be opened: `--no-open` was not given. */
export function viewWay({ env, platform, isTerminal }: Surroundings, opens: boolean): ViewWay {
  const overSsh = isSet(env['SSH_CONNECTION']) || isSet(env['SSH_TTY']);
  if (!opens) return { kind: 'serve', opens: false, leaves: false, overSsh };
  // A browser on the other end of the line is quicker than one whose window is forwarded.
  if (overSsh && isTerminal) return { kind: 'serve', opens: false, leaves: false, overSsh };
  if (!overSsh && hasDisplay(env, platform))
    return { kind: 'serve', opens: true, leaves: !isTerminal, overSsh };
  if (isTerminal) return { kind: 'serve', opens: false, leaves: false, overSsh };
  return {
    kind: 'write',
    why: 'There is no display to open a browser on, and no terminal to end a server from.',
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function hasDisplay(env: Surroundings['env'], platform: NodeJS.Platform): boolean {
  const isWsl = isSet(env['WSL_DISTRO_NAME']) || isSet(env['WSL_INTEROP']);
  return platform === 'darwin' || isWsl || isSet(env['DISPLAY']) || isSet(env['WAYLAND_DISPLAY']);
}

/** The line that makes a port of this machine one of the machine that the user sits at, where the same URL then works. */
export function tunnelLine({ env, hostname }: Pick<Surroundings, 'env' | 'hostname'>, port: number): string {
  const [, , address, sshPort] = (env['SSH_CONNECTION'] ?? '').split(' ');
  // An address with a zone means nothing elsewhere.
  const host = address === undefined || !/^[\da-fA-F.:]+$/.test(address) ? hostname : address;
  const user = env['USER'] ?? env['LOGNAME'];
  return shellLine([
    'ssh',
    ...(sshPort === undefined || sshPort === '22' || !/^\d+$/.test(sshPort) ? [] : ['-p', sshPort]),
    '-L',
    `${port}:127.0.0.1:${port}`,
    user === undefined || user === '' ? host : `${user}@${host}`,
  ]);
}
