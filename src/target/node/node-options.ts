import { PROC, readProcText } from '../proc/file.js';

/** What a command line and NODE_OPTIONS say of the inspector. */
export interface InspectorOptions {
  /** Asked to open it at the start: `--inspect` and the like. */
  readonly opened: boolean;
  /** Where it listens once it is open; 0 takes any free port. */
  readonly port: number;
  /** SIGUSR1 does not open it. */
  readonly signalDisabled: boolean;
}

export const DEFAULT_PORT = 9229;

/** Options of Node that take the next argument as their value, so that it is no script. */
const WITH_VALUE = new Set([
  '-r',
  '--require',
  '--import',
  '--loader',
  '--experimental-loader',
  '-C',
  '--conditions',
  '--env-file',
  '--title',
  '--icu-data-dir',
  '--inspect-port',
  '--debug-port',
  '--disable-warning',
  '--max-old-space-size',
]);
/** What follows is the program itself, and everything after it is the program's own. */
const CODE = new Set(['-e', '--eval', '-p', '--print', '-pe', '--']);

/** Options of Node in a command line: those before the script. */
function ownOptions(command: readonly string[]): readonly string[] {
  const options: string[] = [];
  for (let at = 1; at < command.length; at += 1) {
    const option = command[at] ?? '';
    if (!option.startsWith('-') || option === '-' || CODE.has(option)) break;
    const next = command[at + 1];
    if (WITH_VALUE.has(option) && next !== undefined) {
      options.push(`${option}=${next}`);
      at += 1;
    } else options.push(option);
  }
  return options;
}

/** Words of NODE_OPTIONS: blanks divide them, unless they stand in double quotes. */
export function nodeOptionWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    let char = text[at] ?? '';
    if (char === '"') {
      isQuoted = !isQuoted;
      word ??= '';
    } else if (char === ' ' && !isQuoted) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      if (char === '\\' && isQuoted) {
        at += 1;
        char = text[at] ?? '';
      }
      word = (word ?? '') + char;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** `nodeOptions`: value of the variable NODE_OPTIONS. What the command line says counts more. */
export function inspectorOptions(
  command: readonly string[],
  nodeOptions: string | undefined,
): InspectorOptions {
  let opened = false;
  let port = DEFAULT_PORT;
  let signalDisabled = false;
  for (const option of [...nodeOptionWords(nodeOptions ?? ''), ...ownOptions(command)]) {
    // Node takes _ for -.
    const equals = option.indexOf('=');
    const name = (equals < 0 ? option : option.slice(0, equals)).replaceAll('_', '-');
    const value = equals < 0 ? undefined : option.slice(equals + 1);
    if (['--inspect', '--inspect-brk', '--inspect-wait'].includes(name)) opened = true;
    else if (name === '--disable-sigusr1') signalDisabled = true;
    else if (!['--inspect-port', '--debug-port'].includes(name)) continue;
    const told = /^(?:.*:)?(\d{1,5})$/.exec(value ?? '')?.[1];
    if (told !== undefined) port = Number(told);
  }
  return { opened, port, signalDisabled };
}

/** The same of a live process. Variables that we may not read are taken to be none. */
export function readInspectorOptions(
  pid: number,
  command: readonly string[],
  proc: string = PROC,
): InspectorOptions {
  const environment = readProcText(proc, String(pid), 'environ') ?? '';
  const prefix = 'NODE_OPTIONS=';
  const found = environment.split('\0').find((line) => line.startsWith(prefix));
  return inspectorOptions(command, found?.slice(prefix.length));
}
