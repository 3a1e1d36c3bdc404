import type { Argument, Command, Option } from 'commander';
import { FORMATS } from '../formats/index.js';
import { BUCKETS } from '../model/index.js';

/** What may stand in a place of the command line. */
export type Values =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Anything: nothing is offered. */
  | { readonly kind: 'free' | 'files' | 'folders' }
  /** A recording, or a file. */
  | { readonly kind: 'sources' }
  /** A program and its arguments. */
  | { readonly kind: 'program' };

export interface OptionWords {
  /** `-d`, `--duration`. */
  readonly flags: readonly string[];
  readonly summary: string;
  /** What the option's own word is followed by; absent: nothing. */
  readonly value?: { readonly name: string } & Values;
  readonly repeatable: boolean;
}

export interface CommandWords {
  /** `recordings`, `recordings show`; of the program itself none. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly options: readonly OptionWords[];
  readonly arguments: readonly ({
    readonly name: string;
    /** Any number of them. */ readonly variadic: boolean;
  } & Values)[];
  readonly commands: readonly CommandWords[];
}

/** By the name that stands for a value in `--help`. What is not here is free. */
const BY_NAME: Readonly<Record<string, Values>> = {
  file: { kind: 'files' },
  path: { kind: 'files' },
  pack: { kind: 'files' },
  folder: { kind: 'folders' },
  source: { kind: 'sources' },
  sources: { kind: 'sources' },
  recording: { kind: 'sources' },
  command: { kind: 'program' },
  bucket: { kind: 'words', words: BUCKETS },
  id: { kind: 'words', words: FORMATS.map(({ id }) => id) },
};

/** Everything of a program that a shell can complete, as data: each command with its sub-commands, options and arguments. */
export function commandWords(program: Command, path: readonly string[] = []): CommandWords {
  const help = program.createHelp();
  return {
    path,
    summary: program.summary() || program.description(),
    options: help.visibleOptions(program).map(optionWords),
    arguments: program.registeredArguments.map(argumentWords),
    commands: program.commands.map((command) => commandWords(command, [...path, command.name()])),
  };
}

function optionWords(option: Option): OptionWords {
  const name = /[<[]([^>\].]+)/.exec(option.flags)?.[1];
  return {
    flags: [option.short, option.long].flatMap((flag) => flag ?? []),
    summary: option.description,
    ...(name === undefined ? {} : { value: { name, ...valuesOf(name, option.argChoices) } }),
    repeatable: option.parseArg?.name === 'collect',
  };
}

function argumentWords(argument: Argument): CommandWords['arguments'][number] {
  const name = argument.name();
  return { name, variadic: argument.variadic, ...valuesOf(name, argument.argChoices) };
}

function valuesOf(name: string, choices: readonly string[] | undefined): Values {
  if (choices !== undefined) return { kind: 'words', words: choices };
  return BY_NAME[name] ?? { kind: 'free' };
}

/** A command and all below it. */
export function withSubcommands(command: CommandWords): readonly CommandWords[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** A word as bash and zsh take it, whatever is in it. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
