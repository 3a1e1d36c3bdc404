import { Command } from 'commander';
import { cleanupText, objectText, type CleanupAnswer } from '../report/index.js';
import { cleanUp, openEngine } from '../target/index.js';
import { examples } from './flags.js';
import type { Io } from './io.js';
import { removeOldViews } from './old-views.js';

interface CleanupFlags {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** `profiler cleanup`: takes back what an interrupted run left behind. Exit code 1 when something is left. */
export function cleanupCommand(io: Io): Command {
  return new Command('cleanup')
    .description('Find and take back what an interrupted run left behind: only what profiler made.')
    .option('--dry-run', 'say what would be done, change nothing')
    .option('--yes', 'restore overridden services without asking: their containers are recreated')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples([
        ['profiler cleanup --dry-run', 'what is left of earlier runs?'],
        ['profiler cleanup', 'take it back'],
        ['profiler cleanup --yes', 'and restore overridden services, which starts them anew'],
      ]),
    )
    .action((flags: CleanupFlags) => cleanup(io, flags));
}

async function cleanup(io: Io, flags: CleanupFlags): Promise<void> {
  const dryRun = flags.dryRun === true;
  const found = await cleanUp({
    env: io.env,
    dryRun,
    consent: (question) => (flags.yes === true ? Promise.resolve(true) : agrees(io, question)),
    openEngine: (host) =>
      host === undefined
        ? openEngine(io.env)
        : openEngine({ ...io.env, DOCKER_HOST: host }, { writtenDown: true }),
  });
  const items = [...found.items, ...removeOldViews(io.env, { dryRun })];
  const answer: CleanupAnswer = { ...found, items, dryRun };
  await io.out(flags.json === true ? objectText('cleanup', answer) : cleanupText(answer, io.style));
  if (items.some(({ state }) => state === 'left')) io.setExitCode(1);
}

/** Asks on the terminal; without one nobody agrees. */
async function agrees(io: Io, question: string): Promise<boolean> {
  if (!io.stdinIsTerminal) return false;
  io.err(`${question} [y/N] `);
  let text = '';
  for await (const chunk of io.stdin()) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.includes('\n')) break;
  }
  return /^\s*y(?:es)?\s*$/i.test(text.split('\n')[0] ?? '');
}
