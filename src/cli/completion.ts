import { Argument, Command, Option } from 'commander';
import type { Io } from './io.js';
import { examples } from './flags.js';

/** Shells that a script is made for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** `profiler completion`: what a shell reads to complete our command lines. `whole` is the program with every command in it. */
export function completionCommand(io: Io, whole: () => Promise<Command>): Command {
  const command = new Command('completion')
    .description(
      'Prints the completion script of a shell: commands, options, their values, recordings and files.',
    )
    .usage('bash|zsh|fish')
    .addArgument(new Argument('[shell]', 'bash, zsh or fish').choices(SHELLS))
    // Asked by the scripts at every press of the key.
    .addOption(new Option('--sources', 'print what SOURCE may be').hideHelp())
    .addHelpText(
      'after',
      examples([
        ['source <(profiler completion bash)', 'in ~/.bashrc'],
        ['source <(profiler completion zsh)', 'in ~/.zshrc, after compinit'],
        ['profiler completion fish | source', 'in ~/.config/fish/config.fish'],
      ]),
    );
  return command.action(async (shell: Shell | undefined, { sources }: { readonly sources?: true }) => {
    if (sources === true) {
      const { sourceNames } = await import('./completion-sources.js');
      return io.out((await sourceNames(io.cwd)).map((name) => `${name}\n`).join(''));
    }
    if (shell === undefined) return command.error("missing required argument 'shell'");
    return io.out(await scriptFor(shell, await whole()));
  });
}

async function scriptFor(shell: Shell, program: Command): Promise<string> {
  const { commandWords } = await import('./completion-words.js');
  const words = commandWords(program);
  switch (shell) {
    case 'bash':
      return (await import('./completion-bash.js')).bashScript(words);
    case 'zsh':
      return (await import('./completion-zsh.js')).zshScript(words);
    case 'fish':
      return (await import('./completion-fish.js')).fishScript(words);
  }
}
