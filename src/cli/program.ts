import { Command, CommanderError } from 'commander';
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
    summary: 'sample a running simulation: where its physics thread spends time',
    load: async () => (await import('./attach.js')).attachCommand,
  },
  {
    name: 'run',
    summary: 'start a program and sample its loop alone',
    load: async () => (await import('./run.js')).runCommand,
  },
  {
    name: 'hot',
    summary: 'hottest stacks, functions, lines or callers, or the call tree',
    load: async () => (await import('./hot.js')).hotCommand,
  },
  {
    name: 'buckets',
    summary: 'the breakdown by bucket, thread by thread',
    load: async () => (await import('./buckets.js')).bucketsCommand,
  },
  {
    name: 'waits',
    summary: 'where the physics thread waits for the GIL or a CPU, and for whom',
    load: async () => (await import('./waits.js')).waitsCommand,
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
    summary: 'one page with all of it, to send on; --md for a pull request',
    load: async () => (await import('./report.js')).reportCommand,
  },
  {
    name: 'export',
    summary: 'write a profile in the format of another tool',
    load: async () => (await import('./export.js')).exportCommand,
  },
  {
    name: 'tables',
    summary: 'what simulators print about themselves: hooks, timers, steps',
    load: async () => (await import('./tables.js')).tablesCommand,
  },
  {
    name: 'rtf',
    summary: 'real-time factor: of a target, from timed runs, /clock, a log',
    load: async () => (await import('./rtf.js')).rtfCommand,
  },
  {
    name: 'recordings',
    summary: 'list, show and prune the recordings of this folder',
    load: async () => (await import('./recordings.js')).recordingsCommand,
  },
  {
    name: 'rules',
    summary: 'the rules that sort stacks into buckets: list, explain, test, new',
    load: async () => (await import('./rules.js')).rulesCommand,
  },
  {
    name: 'override',
    summary: 'lend a compose service the right to be profiled',
    load: async () => (await import('./override.js')).overrideCommand,
  },
  {
    name: 'doctor',
    summary: 'what works here and on a target, and the line where it does not',
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
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    load: async () => {
      const { completionCommand } = await import('./completion.js');
      return (io) => completionCommand(io, () => wholeProgram(io));
    },
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

type Question = readonly [question: string, line: string];

/** What people ask, each with the line to type: first to record, then to look at what was recorded. */
export const QUESTIONS: readonly (readonly [heading: string, questions: readonly Question[]])[] = [
  [
    "Where does my simulation's time go?",
    [
      ['It runs.', 'profiler attach --pid PID'],
      ['It runs in a container.', 'profiler attach --container NAME'],
      ['It is a script that I start.', 'profiler run -- python3 SCRIPT'],
      ['It loads slowly.', 'profiler run --load -- python3 SCRIPT'],
      ['Its real-time factor is below 1.', 'profiler attach --pid PID --duration 60'],
      ['Does it keep up?', 'profiler rtf --pid PID'],
      ['How fast could it run?', 'profiler rtf --measure 20,40 -- CMD {}'],
      ['It cannot be attached to.', 'profiler doctor --pid PID'],
    ],
  ],
  [
    'And in what was recorded?',
    [
      ['A plugin slows the step: which?', 'profiler hot --tree'],
      ['What does that plugin call?', 'profiler hot --tree --bucket plugin'],
      ['It stutters: when?', 'profiler report'],
      ['What makes slow steps slow?', 'profiler buckets --by-step'],
      ['Does the GPU render, or the CPU?', 'profiler threads'],
      ['What does rendering cost?', 'profiler hot --tree --bucket render'],
      ['Which sensor casts the rays?', 'profiler hot --bucket raycast --by caller'],
      ['Does another thread get in its way?', 'profiler threads'],
      ['Who holds the GIL while it waits?', 'profiler waits'],
      ['Where is the flame graph?', 'profiler view'],
      ['Which code is hottest?', 'profiler hot'],
      ['The same of a file from py-spy.', 'profiler hot FILE'],
      ['Why did a stack go into its bucket?', "profiler rules explain 'STACK'"],
    ],
  ],
];

function questionLines([heading, questions]: (typeof QUESTIONS)[number]): string {
  return `${heading}\n${questions.map(([question, line]) => `  ${question.padEnd(35)} ${line}`).join('\n')}\n`;
}

const USAGE = `Usage: profiler COMMAND [options]

${QUESTIONS.map(questionLines).join('\n')}
Commands:
${COMMANDS.map((entry) => `  ${entry.name.padEnd(11)} ${entry.summary}`).join('\n')}

  profiler COMMAND --help shows flags and examples.
`;

/** First argument that is neither an option nor the word `help`. */
function wantedName(args: readonly string[]): string | undefined {
  return args.find((arg) => !arg.startsWith('-') && arg !== 'help');
}

/** Commander with every command loaded, for what is made of all of them. */
export function wholeProgram(io: Io): Promise<Command> {
  return buildProgram(io, [], true);
}

/** Commander with the one command loaded that is asked for, or `all`; the others are known by name and summary alone. */
export async function buildProgram(io: Io, args: readonly string[], all = false): Promise<Command> {
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
  // Their arguments are another program's.
  if (all || ['run', 'rtf'].includes(wantedName(args) ?? '')) program.enablePositionalOptions();
  if (args.every((arg) => arg === '--')) {
    program.action(() => io.out(USAGE));
  }
  const wanted = wantedName(args);
  // Commander prints nothing where help is asked for a command that is not there.
  if (args[0] === 'help' && wanted !== undefined && COMMANDS.every(({ name }) => name !== wanted)) {
    throw new CommanderError(2, 'commander.unknownCommand', `error: unknown command '${wanted}'`);
  }
  for (const entry of COMMANDS) {
    const command = all || entry.name === wanted ? (await entry.load())(io) : new Command(entry.name);
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
