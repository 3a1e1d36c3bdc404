import { basename } from 'node:path';
import { quotedKey, quotedText } from './override-file.js';

/** What has 0x start the program of a service. Paths of this machine. */
export interface ZeroXWish {
  /** Folder of packages that 0x and what it needs lie in; it is only read. */
  readonly modules: string;
  /** Folder for what 0x writes, which the service's user may write to. */
  readonly output: string;
}

/** Named so that Node finds there what 0x needs. */
const MODULES = '/opt/sim-profiler/node_modules';
const OUTPUT = '/opt/sim-profiler/0x';
/** Where its results lie below its folder. */
export const ZERO_X_RESULT = 'out';

/** What a container starts: its entrypoint with its command behind it. */
export interface ServiceStart {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

/**
 * The compose file that has 0x start a service's Node program: under an init, since 0x is no first process; never restarted, since it ends
 * once its page is drawn. Undefined where the service does not start node itself.
 */
export function zeroXFile(
  service: string,
  { modules, output }: ZeroXWish,
  { entrypoint, command }: ServiceStart,
): string | undefined {
  const wrap = (argv: readonly string[]): readonly string[] => [
    argv[0] ?? 'node',
    `${MODULES}/0x/cmd.js`,
    '--quiet',
    '--title',
    service,
    '--working-dir',
    OUTPUT,
    '-D',
    ZERO_X_RESULT,
    '--',
    ...argv,
  ];
  const start = isNode(command[0])
    ? `    command: ${list(wrap(command))}\n`
    : isNode(entrypoint[0])
      ? // An entrypoint of the file takes the image's command away.
        `    entrypoint: ${list(wrap(entrypoint))}\n    command: ${list(command)}\n`
      : undefined;
  if (start === undefined) return undefined;
  return (
    `services:\n  ${quotedKey(service)}:\n    init: true\n    restart: "no"\n${start}    volumes:\n` +
    mount(modules, MODULES, true) +
    mount(output, OUTPUT, false)
  );
}

function isNode(program: string | undefined): boolean {
  return /^node(?:js)?$/.test(basename(program ?? ''));
}

function list(argv: readonly string[]): string {
  return `[${argv.map(quotedText).join(', ')}]`;
}

function mount(source: string, target: string, readOnly: boolean): string {
  return (
    `      - type: bind\n        source: ${quotedText(source)}\n        target: ${target}\n` +
    (readOnly ? '        read_only: true\n' : '')
  );
}

/**
 * A program for the node of such a container: it asks the program that 0x started to end, as Ctrl-C would. 0x then draws.
 * By the log that only 0x has it write.
 */
export const END_ZERO_X = `
const { readdirSync, readFileSync } = require('node:fs');
for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
  try {
    const argv = readFileSync('/proc/' + pid + '/cmdline', 'utf8').split('\\0');
    if (argv.includes('--prof') && argv.some((one) => one.startsWith('--logfile=${OUTPUT}/'))) process.kill(Number(pid), 'SIGINT');
  } catch {}
}
`;
