import { type CommandWords, type OptionWords, type Values, withSubcommands } from './completion-words.js';

/** A word as fish takes it, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, (character) => `\\${character}`)}'`;
}

function candidates(values: Values): string {
  switch (values.kind) {
    case 'words':
      return ` -x -a ${quoted(values.words.join(' '))}`;
    case 'files':
      return ' -r -F';
    case 'folders':
      return ` -x -a '(__fish_complete_directories)'`;
    case 'sources':
      return ` -r -F -a '(__profiler_sources)'`;
    default:
      return ' -x';
  }
}

function at(path: readonly string[]): string {
  return `complete -c profiler -n ${quoted(`__profiler_at ${path.join(' ')}`.trimEnd())}`;
}

function optionLine(path: readonly string[], { flags, summary, value }: OptionWords): string {
  const names = flags.map((flag) =>
    flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`,
  );
  return `${at(path)}${names.join('')}${value === undefined ? '' : candidates(value)} -d ${quoted(summary)}`;
}

function commandLines({ path, options, commands, ...command }: CommandWords): string[] {
  return [
    ...commands.map(
      ({ path: own, summary }) => `${at(path)} -a ${quoted(own.at(-1) ?? '')} -d ${quoted(summary)}`,
    ),
    ...options.map((option) => optionLine(path, option)),
    ...command.arguments.flatMap((argument) => {
      if (argument.kind === 'sources') return [`${at(path)} -F -a '(__profiler_sources)'`];
      if (argument.kind === 'files') return [`${at(path)} -F`];
      if (argument.kind === 'program') return [`${at(path)} -F -a '(__fish_complete_command)'`];
      if (argument.kind === 'words') return [`${at(path)} -a ${quoted(argument.words.join(' '))}`];
      return [];
    }),
  ];
}

function flagsWithValue({ options }: CommandWords): readonly string[] {
  return options.flatMap(({ flags, value }) => (value === undefined ? [] : flags));
}

/** The script that fish reads. */
export function fishScript(program: CommandWords): string {
  const all = withSubcommands(program);
  const parents = program.commands.filter(({ commands }) => commands.length > 0);
  const run = program.commands.find((command) => command.arguments.some(({ kind }) => kind === 'program'));
  const subcommands = parents.map(
    ({ path, commands }) =>
      `            case ${quoted(path.join(' '))}\n                contains -- $word ${commands.map(({ path: own }) => own.at(-1) ?? '').join(' ')}; and set -a found $word`,
  );
  return `# Completion of profiler for fish: profiler completion fish | source

# The command that the line names so far: none, a command, or one and its sub-command.
function __profiler_path
    set -l found
    set -l words (commandline -opc)
    for word in $words[2..-1]
        string match -q -- '-*' $word; and continue
        switch "$found"
            case ''
                set found $word
${subcommands.join('\n')}
        end
    end
    echo "$found"
end

# Whether the line is at that command, and no longer at what it runs.
function __profiler_at
    test (__profiler_path) = "$argv"; and not __profiler_runs
end

# Whether the program of \`profiler run\` was named: from there on the line is that program's.
function __profiler_runs
    set -l words (commandline -opc)
    set -l skip 0
    set -l at 0
    for word in $words[2..-1]
        if test $at = 0
            test "$word" = ${run === undefined ? `''` : quoted(run.path.join(' '))}; and set at 1
            continue
        end
        if test $skip = 1
            set skip 0
            continue
        end
        test "$word" = --; and return 0
        if contains -- $word ${run === undefined ? '' : flagsWithValue(run).join(' ')}
            set skip 1
            continue
        end
        string match -q -- '-*' $word; or return 0
    end
    return 1
end

function __profiler_sources
    command profiler completion --sources 2>/dev/null
end

complete -c profiler -e
complete -c profiler -f
complete -c profiler -n __profiler_runs -F
complete -c profiler -n '__profiler_runs; and test (commandline -opc)[-1] = --' -a '(__fish_complete_command)'
complete -c profiler -n '__profiler_at help' -a ${quoted(program.commands.map(({ path }) => path.join(' ')).join(' '))}
${all.flatMap(commandLines).join('\n')}
`;
}
