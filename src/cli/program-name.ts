/** Options of Python that take the next word as their value. */
const WITH_VALUE = new Set(['-W', '-X', '--check-hash-based-pycs']);

/**
 * What a command line runs, in a word: `run_bridge.py` of `python3 -u /app/run_bridge.py --headless`, `rover_sim` of
 * `python3 -m rover_sim`; the interpreter itself for `python3 -c CODE`, and where nothing else is named.
 */
export function programName(command: readonly string[]): string {
  const [program = '', ...args] = command;
  const own = baseName(program) ?? 'process';
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (word === '-c') return own;
    if (word === '-m') return args[index + 1] ?? own;
    if (WITH_VALUE.has(word)) index += 1;
    else if (!word.startsWith('-')) return baseName(word) ?? own;
  }
  return own;
}

function baseName(path: string): string | undefined {
  const name = path.split('/').at(-1);
  return name === undefined || name === '' ? undefined : name;
}
