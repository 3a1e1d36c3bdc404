import { Command } from 'commander';
import type { Io } from './io.js';
import { ownVersion } from './version.js';

type MakeCommand = (io: Io) => Command;

interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Loads the command's own file, and with it only what that command needs. */
  readonly load: () => Promise<MakeCommand>;
}

/** Every command there is, in the order of `--help`. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'attach',
    summary: 'sample a running simulation and say where its physics thread spends its time',
    load: async () => (await import('./attach.js')).attachCommand,
  },
  {
    name: 'run',
    summary: 'start a program and sample its loop, without start-up and what follows',
    load: async () => (await import('./run.js')).runCommand,
  },
  {
    name: 'hot',
    summary: 'hottest stacks, functions, lines or callers of a recording or profile file',
    load: async () => (await import('./hot.js')).hotCommand,
  },
  {
    name: 'buckets',
    summary: 'the breakdown by bucket, thread by thread',
    load: async () => (await import('./buckets.js')).bucketsCommand,
  },
  {
    name: 'threads',
    summary: 'every thread: its role, and its time on a CPU, waiting and blocked',
    load: async () => (await import('./threads.js')).threadsCommand,
  },
  {
    name: 'view',
    summary: 'look at a recording or profile file in speedscope, in the browser',
    load: async () => (await import('./view.js')).viewCommand,
  },
  {
    name: 'report',
    summary: 'one page with all of it, to send to a colleague; --md for a pull request',
    load: async () => (await import('./report.js')).reportCommand,
  },
  {
    name: 'export',
    summary: 'write a profile in the format of another tool',
    load: async () => (await import('./export.js')).exportCommand,
  },
  {
    name: 'recordings',
    summary: 'list, show and prune the recordings of this folder',
    load: async () => (await import('./recordings.js')).recordingsCommand,
  },
  {
    name: 'rules',
    summary: 'the rules that sort stacks into buckets: list, explain, test',
    load: async () => (await import('./rules.js')).rulesCommand,
  },
  {
    name: 'override',
    summary: 'lend a compose service the right to be profiled, where no other way works',
    load: async () => (await import('./override.js')).overrideCommand,
  },
  {
    name: 'doctor',
    summary: 'what works here and on a target, what does not, and the line to type',
    load: async () => (await import('./doctor.js')).doctorCommand,
  },
  {
    name: 'cleanup',
    summary: 'find and remove what an interrupted run left behind',
    load: async () => (await import('./cleanup.js')).cleanupCommand,
  },
  {
    name: 'tools',
    summary: 'the samplers that profiler drives: list, install',
    load: async () => (await import('./tools.js')).toolsCommand,
  },
];

const EXAMPLES = `
Examples:
  profiler attach --pid 4711          where does the physics thread's time go?
  profiler attach --service bridge    of a simulation in a container
  profiler run -- python3 walk.py     of a script, from its first step to its last
  profiler hot                        hottest stacks of the newest recording
  profiler hot py-spy.raw --by line   of a file that py-spy wrote
  profiler COMMAND --help             flags and examples of one command
`;

const QUESTIONS: readonly (readonly [question: string, line: string])[] = [
  ["Where does my simulation's time go?", 'profiler attach --pid PID'],
  ['It runs in a container.', 'profiler attach --container NAME'],
  ['It is a script that I start.', 'profiler run -- python3 SCRIPT'],
  ['It loads slowly.', 'profiler run --load -- python3 SCRIPT'],
  ['It cannot be attached to.', 'profiler doctor'],
  ['Which code is hottest?', 'profiler hot'],
  ['Which sensor casts the rays?', 'profiler hot --bucket raycast --by caller'],
  ['Does another thread get in its way?', 'profiler threads'],
  ['Can I look at it as a flame graph?', 'profiler view'],
  ['I have a file from py-spy already.', 'profiler buckets FILE'],
  ['Why did a stack go into its bucket?', "profiler rules explain 'STACK'"],
];

const USAGE = `Usage: profiler COMMAND [options]

${QUESTIONS.map(([question, line]) => `  ${question.padEnd(37)} ${line}`).join('\n')}

Commands:
${COMMANDS.map((entry) => `  ${entry.name.padEnd(11)} ${entry.summary}`).join('\n')}

  profiler COMMAND --help shows flags and examples.
`;

/** First argument that is neither an option nor the word `help`. */
function wantedName(args: readonly string[]): string | undefined {
  return args.find((arg) => !arg.startsWith('-') && arg !== 'help');
}

/** Commander with the one command loaded that is asked for; the others are known by name and summary alone. */
export async function buildProgram(io: Io, args: readonly string[]): Promise<Command> {
  const program = new Command('profiler')
    .description("Where does the wall time of a robot simulation's physics thread go?")
    .version(ownVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError(true)
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.out(text),
      // Errors are thrown and told once, by main.
      writeErr: () => undefined,
      getOutHelpWidth: () => io.style.width,
      getErrHelpWidth: () => io.errStyle.width,
      getOutHasColors: () => io.style.color,
      getErrHasColors: () => io.errStyle.color,
    });
  // Its arguments are another program's.
  if (wantedName(args) === 'run') program.enablePositionalOptions();
  if (args.length === 0) {
    program.action(() => io.out(USAGE));
  }
  const wanted = wantedName(args);
  for (const entry of COMMANDS) {
    const command = entry.name === wanted ? (await entry.load())(io) : new Command(entry.name);
    command.summary(entry.summary);
    if (command.description() === '') command.description(entry.summary);
    inherit(command, program);
    program.addCommand(command);
  }
  return program;
}

/** Commander hands settings down only to commands that it makes itself. */
function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  command.helpOption('-h, --help', 'show help');
  for (const child of command.commands) inherit(child, command);
}
