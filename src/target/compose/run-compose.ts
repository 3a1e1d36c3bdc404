import { execa } from 'execa';
import { ProfilerError, shellLine } from '../../model/index.js';

export interface ComposeRun {
  /** Undefined where the program could not be started, or a signal ended it. */
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

export interface ComposePlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs one Compose command that reads, and waits for its end. Never throws. */
export async function runCompose(
  argv: readonly string[],
  place: ComposePlace,
  input?: string,
): Promise<ComposeRun> {
  const [program = '', ...args] = argv;
  const run = await execa(program, args, {
    cwd: place.cwd,
    env: place.env,
    extendEnv: false,
    reject: false,
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
  });
  const started = run.code !== 'ENOENT';
  return { code: started ? run.exitCode : undefined, out: run.stdout, err: started ? run.stderr : '' };
}

/** The same, for one that must succeed. Throws ProfilerError `compose-failed` with Compose's own words. */
export async function mustCompose(
  argv: readonly string[],
  place: ComposePlace,
  input?: string,
): Promise<string> {
  const run = await runCompose(argv, place, input);
  if (run.code !== 0) throw composeFailed(argv, run.err);
  return run.out;
}

export function composeFailed(argv: readonly string[], err: string): ProfilerError {
  const words = composeWords(err);
  const [first, ...more] = words;
  return new ProfilerError({
    id: 'compose-failed',
    what: first === undefined ? 'Compose failed without a word.' : `Compose says: ${sentence(first)}`,
    ...(more.length === 0 ? {} : { list: more }),
    why: 'It was asked about the files that the running project was made from.',
    // It only reads, and says the same again.
    fix: shellLine(readingLine(argv)),
  });
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The options without what we asked for, and `config --quiet` in its place. */
function readingLine(argv: readonly string[]): readonly string[] {
  const verb = argv.findIndex((argument) => argument === 'config' || argument === 'up');
  return [...(verb < 0 ? argv : argv.slice(0, verb)), 'config', '--quiet'];
}

// oxlint-disable-next-line no-control-regex -- colours are what it takes out
const COLOUR = /\u001b\[[0-9;]*m/g;
/** Progress of v2 and v1, warnings about other things, and the frames of v1's own tracebacks. */
const TALK =
  /^(?: (?:DRY-RUN MODE -\s+)?(?:Container|Network|Volume|Image|Service) |time="[^"]*" level=(?:warning|info|debug)|WARN\[|(?:Creating|Recreating|Starting|Stopping|Removing) .* \.\.\.|Traceback \(most|  File "|    |\[\d+\] Failed to execute)/;
const MOST_LINES = 8;
const LONGEST_LINE = 400;

/** What Compose said that is neither progress nor a traceback, line by line. */
export function composeWords(err: string): readonly string[] {
  return err
    .replaceAll(COLOUR, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !TALK.test(line))
    .slice(0, MOST_LINES)
    .map((line) => line.trim().slice(0, LONGEST_LINE));
}
