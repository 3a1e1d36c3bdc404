import { errorReason } from '../model/index.js';

/** A program that shows addresses, and what it is given before the address; undefined: the one that the desktop says. */
interface Browser {
  readonly name: string;
  readonly arguments: readonly string[];
}

/**
 * What `BROWSER` names, in its order: programs with `:` between them, which may stand with arguments and `%s` for the address. Desktops
 * ask their own settings first, but who sets the variable means it.
 */
export function browsersIn(variable: string | undefined): readonly Browser[] {
  return (variable ?? '').split(':').flatMap((text) => {
    const [name, ...rest] = text.split(' ').filter((word) => word !== '' && word !== '%s');
    return name === undefined ? [] : [{ name, arguments: rest }];
  });
}

/**
 * Opens an address in the user's browser. What starts browsers says only later that it found none, so the failure is told when it is
 * known; as long as the browser itself may run in it, nothing is.
 * @param failed gets the reason, once at most.
 */
export async function openBrowser(
  url: string,
  variable: string | undefined,
  failed: (why: string) => void,
): Promise<void> {
  const [first, ...others] = browsersIn(variable);
  await start(url, first, others, failed);
}

async function start(
  url: string,
  browser: Browser | undefined,
  others: readonly Browser[],
  failed: (why: string) => void,
): Promise<void> {
  const fails = (why: string): void => {
    const [next, ...rest] = others;
    if (next === undefined) failed(why);
    else void start(url, next, rest, failed);
  };
  const named = browser?.name ?? 'what starts it';
  try {
    const { default: open } = await import('open');
    const starter = await open(url, browser === undefined ? {} : { app: browser });
    const ended = (code: number | null): void => {
      if (code !== 0 && code !== null) fails(`${named} ended with exit code ${code}`);
    };
    if (starter.exitCode === null) starter.once('exit', ended);
    else ended(starter.exitCode);
  } catch (error) {
    fails(`${named}: ${errorReason(error)}`);
  }
}
