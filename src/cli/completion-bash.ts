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
      return '_profiler_files -c';
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
  const values = all.flatMap((one) =>
    one.options.flatMap(({ flags, value }) =>
      value === undefined
        ? []
        : [
            branch(
              flags.map((flag) => shellQuoted(`${one.path.join(' ')} ${flag}`)).join('|'),
              offering(value),
            ),
          ],
    ),
  );
  const positional = all.flatMap((one) =>
    one.arguments.flatMap((argument) =>
      argument.kind === 'program' ? [] : [branch(pathText(one), offering(argument))],
    ),
  );
  return `# Completion of profiler for bash: source <(profiler completion bash)

_profiler_offer() {
  local candidate
  for candidate in "$@"; do
    [[ $candidate == "$cur"* ]] && COMPREPLY+=("$candidate")
  done
}

# Names of files (-f), folders (-d) or programs (-c); readline quotes what is special in them.
_profiler_files() {
  local name
  compopt -o filenames 2>/dev/null
  while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen "$1" -- "$cur")
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

# The value of an option of a command: fails where it takes none.
_profiler_value() {
${cases('"$1 $2"', values, 'return 1')}
}

_profiler_argument() {
${cases('$1', [...positional, branch(`'help'`, `_profiler_offer $(_profiler_subcommands '')`)], ':')}
}

_profiler() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path='' flag='' word at
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
        if (_profiler_value "$path" "$word") >/dev/null; then flag=$word; fi
        ;;
      *)
        if [[ $path == run ]]; then _profiler_program "$at"; return; fi
        if [[ $'\\n'$(_profiler_subcommands "$path")$'\\n' == *$'\\n'"$word"$'\\n'* ]]; then path=\${path:+$path }$word; fi
        ;;
    esac
  done
  if [[ -n $flag && $cur == '=' ]]; then cur=''; fi
  # As the name is, not as it was typed.
  cur=\${cur#[\\"\\']}
  cur=\${cur//\\\\/}
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
}

# Word $1 of the line is the program of profiler run.
_profiler_program() {
  if ((COMP_CWORD == $1)); then _profiler_files -c; fi
  _profiler_files -f
}

complete -F _profiler profiler
`;
}
