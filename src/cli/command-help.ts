import type { Command } from 'commander';

/** What `--help` prints of a command, as printed. */
export type MakeHelp = (command: Command) => string;

/** What `--help` says of a command, in parts. */
export interface CommandHelp {
  /** `profiler hot [options] [source]` */
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly (readonly [term: string, meaning: string])[];
  readonly options: readonly (readonly [term: string, meaning: string])[];
  /** Examples and notes below the options. */
  readonly after: string;
}

/** Takes a command's help apart. `makeHelp` has to print it whole. */
export function commandHelp(command: Command, makeHelp: MakeHelp): CommandHelp {
  const help = command.createHelp();
  const printed = makeHelp(command);
  const own = command.helpInformation();
  return {
    usage: help.commandUsage(command),
    description: command.description(),
    arguments: help
      .visibleArguments(command)
      .map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)]),
    options: help
      .visibleOptions(command)
      .map((option) => [help.optionTerm(option), help.optionDescription(option)]),
    after: printed.startsWith(own) ? printed.slice(own.length) : '',
  };
}
