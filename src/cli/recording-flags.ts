import { type Command, Option } from 'commander';
import { BACKEND_FLAGS, type BackendFlag } from './attach-sampler.js';
import { outputPath, withRules } from './flags.js';
import type { PlaceFlags } from './recording-place.js';

/** With `--strict`: an answer was given, and a warning says not to trust it. */
export const EXIT_NOT_TRUSTED = 3;

/** What every command that makes a recording takes. */
export interface RecordingFlags extends PlaceFlags {
  readonly thread?: string;
  readonly rate?: number;
  readonly backend: BackendFlag;
  readonly native?: true;
  readonly rules?: readonly string[];
  readonly pySpy?: string;
  readonly strict?: true;
  readonly log?: string;
}

/** Adds the flags that say which thread is meant, and what samples it. */
export function withSampler(command: Command): Command {
  return command
    .option('--thread <thread>', 'NAME, TID or /regex/ of the physics thread (default: the one that steps)')
    .addOption(
      new Option(
        '--backend <sampler>',
        'which sampler (auto: cpython, which is our own, else py-spy for a Python, node for a Node, perf for anything else; py-spy+perf: native frames below lines of Python)',
      )
        .choices(BACKEND_FLAGS)
        .default('auto'),
    )
    .option('--native', 'native frames too: stops the target for every sample')
    .option('--py-spy <path>', 'the py-spy to use');
}

/** Adds the flags that say what becomes of the recording. */
export function withRecording(command: Command): Command {
  return withRules(
    command
      .option('--label <name>', 'name for the recording')
      .option('-o, --output <folder>', 'folder of the recording, new or empty', outputPath),
  )
    .option(
      '--log <file>',
      'what the program writes: tables that it prints of itself are kept with the recording',
      outputPath,
    )
    .option('--strict', 'exit 3 when a warning says not to trust the answer');
}
