import { type CommandWords, type Values, shellQuoted, withSubcommands } from './completion-words.js';

/** What adds the candidates of a place to the reply. */
function offering(values: Values): string {
  switch (values.kind) {
    case 'words':
      return `_profiler_offer ${values.words.map(shellQuoted).join(' ')}`;
    case 'files':
      return '_profiler_files -f';
    case 'folders':
      return '_profiler_files -d';
    case 'sources':
      return '_profiler_sources';
    case 'program':
      return '_profiler_programs';
    case 'free':
      return ':';
  }
}

function branch(pattern: string, action: string): string {
  return `    ${pattern}) ${action} ;;`;
}

/** A `case` with a line for each entry; its last line decides for all others. */
function cases(subject: string, branches: readonly string[], otherwise: string): string {
  return [`  case ${subject} in`, ...branches, branch('*', otherwise), '  esac'].join('\n');
}

function pathText({ path }: CommandWords): string {
  return shellQuoted(path.join(' '));
}

/** The script that bash reads. What comes from files and folders is compared and quoted, never evaluated. */
export function bashScript(program: CommandWords): string {
  const all = withSubcommands(program);
  const subcommands = all
    .filter(({ commands }) => commands.length > 0)
    .map((one) =>
      branch(
        pathText(one),
        `printf '%s\\n' ${one.commands.map(({ path }) => path.at(-1) ?? '').join(' ')}${one === program ? ' help' : ''}`,
      ),
    );
  const options = all.map((one) =>
    branch(pathText(one), `_profiler_offer ${one.options.flatMap(({ flags }) => flags).join(' ')}`),
  );
  const valued = all.flatMap((one) =>
    one.options.flatMap(({ flags, value }) =>
      value === undefined
        ? []
        : [
            {
              pattern: flags.map((flag) => shellQuoted(`${one.path.join(' ')} ${flag}`)).join('|'),
              value,
            },
          ],
    ),
  );
  const values = valued.map(({ pattern, value }) => branch(pattern, offering(value)));
  const positional = all.flatMap((one) =>
    one.arguments.flatMap((argument) =>
      argument.kind === 'program' ? [] : [branch(pathText(one), offering(argument))],
    ),
  );
  return `# Completion of profiler for bash: source <(profiler completion bash)

# Adds a name as the line needs it: bash's own quoting of files takes $(…) for what is to be run.
_profiler_add() {
  local name=$1
  case $quote in
    "'") name=\${name//"'"/"'\\\\''"} ;;
    '"')
      name=\${name//'\\'/'\\\\'}
      name=\${name//'"'/'\\"'}
      name=\${name//'$'/'\\$'}
      name=\${name//'\`'/'\\\`'}
      ;;
    *) printf -v name '%q' "$name" ;;
  esac
  COMPREPLY+=("$name")
}

_profiler_offer() {
  local candidate
  for candidate in "$@"; do
    if [[ $candidate == "$cur"* ]]; then _profiler_add "$candidate"; fi
  done
}

# Names of files (-f) or folders (-d).
_profiler_files() {
  local name start=$cur home=''
  if [[ $cur == '~/'* && -z $quote ]]; then
    start=$HOME/\${cur:2}
    home=$HOME/
  fi
  for name in "$start"*; do
    if [[ -d $name ]]; then name=$name/; elif [[ $1 == -d || ! (-e $name || -L $name) ]]; then continue; fi
    if [[ -z $home ]]; then
      _profiler_add "$name"
    else
      _profiler_add "\${name:\${#home}}"
      COMPREPLY[-1]='~/'\${COMPREPLY[-1]}
    fi
  done
}

_profiler_programs() {
  local name
  while IFS= read -r name; do _profiler_add "$name"; done < <(compgen -c -- "$cur")
}

_profiler_sources() {
  local name
  _profiler_files -f
  while IFS= read -r name; do _profiler_offer "$name"; done < <(command profiler completion --sources 2>/dev/null)
}

# Sub-commands of a command, one a line.
_profiler_subcommands() {
${cases('$1', subcommands, 'return 1')}
}

_profiler_options() {
${cases('$1', options, 'return 1')}
}

# Whether an option of a command takes a value, and what that may be.
_profiler_takes() {
${cases('"$1 $2"', [branch(valued.map(({ pattern }) => pattern).join('|\\\n      '), 'return 0')], 'return 1')}
}

_profiler_value() {
${cases('"$1 $2"', values, ':')}
}

_profiler_argument() {
${cases('$1', [...positional, branch(`'help'`, `_profiler_offer $(_profiler_subcommands '')`)], ':')}
}

_profiler() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path='' flag='' quote='' word at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at += 1)); do
    word=\${COMP_WORDS[at]}
    # bash takes --by=stack for three words.
    if [[ -n $flag && $word == '=' ]]; then continue; fi
    if [[ -n $flag ]]; then flag=''; continue; fi
    case $word in
      --)
        # What is run completes its own way: its program here, then files.
        if [[ $path == run ]]; then _profiler_program $((at + 1)); return; fi
        ;;
      -*)
        if _profiler_takes "$path" "$word"; then flag=$word; fi
        ;;
      *)
        if [[ $path == run ]]; then _profiler_program "$at"; return; fi
        if [[ $'\\n'$(_profiler_subcommands "$path")$'\\n' == *$'\\n'"$word"$'\\n'* ]]; then path=\${path:+$path }$word; fi
        ;;
    esac
  done
  if [[ -n $flag && $cur == '=' ]]; then cur=''; fi
  # As the name is, not as it was typed.
  if [[ $cur == [\\"\\']* ]]; then quote=\${cur:0:1} cur=\${cur:1}; fi
  if [[ $quote != "'" ]]; then cur=\${cur//\\\\/}; fi
  if [[ -n $flag ]]; then
    _profiler_value "$path" "$flag"
  elif [[ $cur == -* ]]; then
    _profiler_options "$path"
  elif [[ -n $(_profiler_subcommands "$path") ]]; then
    _profiler_offer $(_profiler_subcommands "$path")
  elif [[ $path == run ]]; then
    _profiler_program "$COMP_CWORD"
  else
    _profiler_argument "$path"
  fi
  # A folder may be gone into.
  if [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2>/dev/null; fi
}

# Word $1 of the line is the program of profiler run.
_profiler_program() {
  if ((COMP_CWORD == $1)); then _profiler_programs; fi
  _profiler_files -f
}

complete -F _profiler profiler
`;
}
