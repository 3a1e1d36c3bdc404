import type { Plan } from '../capture/index.js';
import { type TextStyle, cleanText, objectText, wrap } from '../report/index.js';
import type { Target } from '../target/index.js';

/** An argument as a shell would have to be given it. */
function quoted(argument: string): string {
  const clean = cleanText(argument);
  return /^[\w@%+=:,./-]+$/.test(clean) ? clean : `'${clean.replaceAll("'", `'\\''`)}'`;
}

/** `attach --dry-run`: who would be sampled, how, and what it costs; nothing was touched. */
export function planText(plan: Plan, target: Target, style: TextStyle): string {
  const lines = [
    `Would sample process ${target.pid}: ${cleanText(target.command.join(' '))}`,
    ...(target.chosenBecause === undefined ? [] : wrap(cleanText(target.chosenBecause), style.width, '  ')),
    ...target.passedOver.map(({ pid, because }) => `  passed over ${pid}: ${cleanText(because)}`),
    '',
    ...plan.commands.flatMap(({ argv, purpose }) => [`# ${purpose}`, argv.map(quoted).join(' ')]),
    '',
    ...wrap(plan.cost, style.width, ''),
  ];
  return `${lines.join('\n')}\n`;
}

export function planJson(plan: Plan, target: Target): string {
  const { pid, nsPid, command, chosenBecause, passedOver } = target;
  return objectText('plan', {
    target: { pid, nsPid, command, chosenBecause, passedOver },
    plan,
    findings: [],
  });
}
