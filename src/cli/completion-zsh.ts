import {
  type CommandWords,
  type OptionWords,
  type Values,
  shellQuoted,
  withSubcommands,
} from './completion-words.js';

/** A text inside a specification of _arguments, where brackets and colons mean something. */
function spec(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, (character) => `\\${character}`);
}

function action(values: Values): string {
  switch (values.kind) {
    case 'words':
      return `(${values.words.join(' ')})`;
    case 'files':
      return '_files';
    case 'folders':
      return '_files -/';
    case 'sources':
      return '_profiler_sources';
    default:
      return ' ';
  }
}

function optionSpec({ flags, summary, value, repeatable }: OptionWords): string {
  const others = repeatable || flags.length < 2 ? '' : shellQuoted(`(${flags.join(' ')})`);
  const taken = value === undefined ? '' : `:${spec(value.name)}:${action(value)}`;
  const rest = shellQuoted(`[${spec(summary)}]${taken}`);
  const star = repeatable ? `'*'` : '';
  return flags.length < 2 ? `${star}${flags[0] ?? ''}${rest}` : `${star}${others}{${flags.join(',')}}${rest}`;
}

function functionName(path: readonly string[]): string {
  return ['_profiler', ...path].join('_');
}

function commandFunction(command: CommandWords): string {
  const { path, options, commands } = command;
  const specs = options.map(optionSpec);
  if (commands.length > 0) return subcommandFunction(command, specs);
  const positional = command.arguments.flatMap((argument) =>
    argument.kind === 'program'
      ? [`'(-)1:program: _command_names -e'`, `'*::arguments: _normal'`]
      : [shellQuoted(`${argument.variadic ? '*' : ''}:${spec(argument.name)}:${action(argument)}`)],
  );
  return `${functionName(path)}() {
  _arguments -S ${[...specs, ...positional].map((one) => `\\\n    ${one}`).join(' ')}
}`;
}

function subcommandFunction({ path, commands }: CommandWords, specs: readonly string[]): string {
  const names = commands.map(({ path: own, summary }) =>
    shellQuoted(`${own.at(-1) ?? ''}:${summary.replaceAll(':', '\\:')}`),
  );
  const help = path.length === 0 ? [`'help:show help for a command'`] : [];
  const branches = commands.map(({ path: own }) => `    (${own.at(-1) ?? ''}) ${functionName(own)} ;;`);
  return `${functionName(path)}() {
  local curcontext="$curcontext" state line
  local -a commands
  typeset -A opt_args
  _arguments -C ${[...specs, `'1: :->command'`, `'*:: :->rest'`].map((one) => `\\\n    ${one}`).join(' ')} && return
  commands=(${[...names, ...help].map((one) => `\n    ${one}`).join('')}
  )
  if [[ $state == command ]]; then _describe -t commands command commands; return; fi
  case $line[1] in
${branches.join('\n')}
${path.length === 0 ? `    (help) _describe -t commands command commands ;;\n` : ''}  esac
}`;
}

/** The script that zsh reads, as a file `_profiler` in its `fpath` or sourced after `compinit`. */
export function zshScript(program: CommandWords): string {
  return `#compdef profiler
# Completion of profiler for zsh: source <(profiler completion zsh), after compinit

_profiler_sources() {
  local -a found expl
  local ret=1
  found=("\${(@f)$(command profiler completion --sources 2>/dev/null)}")
  found=("\${(@)found:#}")
  if (( $#found )); then _wanted recordings expl recording compadd -a found && ret=0; fi
  _files && ret=0
  return ret
}

${withSubcommands(program).map(commandFunction).join('\n\n')}

if [[ $funcstack[1] == _profiler ]]; then _profiler "$@"; else compdef _profiler profiler; fi
`;
}
