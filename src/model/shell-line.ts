/** An argument list as a POSIX shell takes it, for a person to type. Control characters stay: whoever prints it cleans them. */
export function shellLine(argv: readonly string[]): string {
  return argv.map(quoted).join(' ');
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
