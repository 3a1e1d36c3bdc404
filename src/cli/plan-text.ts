import { shellLine } from '../model/index.js';
import type { Plan } from '../capture/index.js';
import { type TextStyle, cleanText, objectText, wrap } from '../report/index.js';
import { shownPid, type Target } from '../target/index.js';

/** Of a row of slices, the first two and the last are enough to see how the rest reads. */
const FIRST_SHOWN = 2;

type Planned = Plan['commands'][number];

/** What commands that differ in nothing but numbers have in common. */
function shape({ argv }: Planned): string {
  return argv.join(' ').replace(/\d+/g, '#');
}

function commandLines(commands: readonly Planned[]): string[] {
  const rows: Planned[][] = [];
  for (const command of commands) {
    const row = rows.at(-1);
    if (row?.[0] !== undefined && shape(row[0]) === shape(command)) row.push(command);
    else rows.push([command]);
  }
  const lines = ({ argv, purpose }: Planned): string[] => [`# ${purpose}`, cleanText(shellLine(argv))];
  return rows.flatMap((row) => {
    const more = row.length - FIRST_SHOWN - 1;
    if (more < 1) return row.flatMap(lines);
    return [
      ...row.slice(0, FIRST_SHOWN).flatMap(lines),
      `# ${more} more like these`,
      ...row.slice(-1).flatMap(lines),
    ];
  });
}

/** `attach --dry-run`: who would be sampled, how, and what it costs; nothing was touched. */
export function planText(
  plan: Plan & { readonly folder?: string },
  target: Target,
  style: TextStyle,
): string {
  const lines = [
    `Would sample process ${shownPid(target)}: ${cleanText(target.command.join(' '))}`,
    ...(target.chosenBecause === undefined ? [] : wrap(cleanText(target.chosenBecause), style.width, '  ')),
    ...target.passedOver.map(({ pid, because }) => `  passed over ${pid}: ${cleanText(because)}`),
    '',
    ...(plan.folder === undefined
      ? []
      : ['# a folder of your own for what they write', shellLine(['mkdir', '-p', `${plan.folder}/slices`])]),
    ...commandLines(plan.commands),
    '',
    ...wrap(plan.cost, style.width, ''),
  ];
  return `${lines.join('\n')}\n`;
}

export function planJson(plan: Plan, target: Target): string {
  const { nsPid, command, chosenBecause, passedOver } = target;
  return objectText('plan', {
    target: { pid: shownPid(target), nsPid, command, chosenBecause, passedOver },
    plan,
    findings: [],
  });
}
