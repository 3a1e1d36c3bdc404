import { ProfilerError } from '../model/index.js';
import type { OverridePlan } from '../target/index.js';
import type { Io } from './io.js';
import { costLines, overrideCommand } from './override-text.js';

/**
 * Tells on standard error what will be made anew and lost, and asks on a terminal. Resolves with false for a no. Throws ProfilerError
 * `needs-yes` (2, wrong usage) where nobody can be asked; `line` is what to type then.
 */
export async function consentTo(
  io: Io,
  plan: OverridePlan,
  yes: boolean,
  line = `${overrideCommand(plan, '--apply')} --yes`,
): Promise<boolean> {
  io.err(`${costLines(plan, io.errStyle).join('\n')}\n`);
  if (yes) return true;
  if (!io.stdinIsTerminal || !io.stderrIsTerminal)
    throw new ProfilerError(
      {
        id: 'needs-yes',
        what: `Service ${plan.service} would be made anew, and there is no terminal to ask on.`,
        why: 'What is lost with it cannot be brought back.',
        fix: line,
      },
      2,
    );
  io.err('Make it anew? [y/N] ');
  return /^\s*y(?:es)?\s*$/i.test(await firstLine(io));
}

async function firstLine(io: Io): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of io.stdin()) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
}
