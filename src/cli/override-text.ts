import { dirname } from 'node:path';
import { type Finding, shellLine } from '../model/index.js';
import {
  alarmLines,
  cleanText,
  noteLines,
  objectText,
  plural,
  type TextStyle,
  wrap,
} from '../report/index.js';
import {
  type AppliedOverride,
  isNeeded,
  type OverridePlan,
  type OverrideUndo,
  type RestoredOverride,
} from '../target/index.js';

/** The lines to type that do what the plan would do, and those that undo it. */
export function overrideLines(plan: OverridePlan): {
  readonly apply: readonly string[];
  readonly undo: readonly string[];
} {
  const { path, text } = plan.file;
  const folder = dirname(path);
  const lines = text.split('\n').slice(0, -1);
  return {
    apply: [
      shellLine(['mkdir', '-m', '700', folder]),
      `${shellLine(['printf', '%s\\n', ...lines])} > ${shellLine([path])}`,
      ...(plan.commands.predict === undefined ? [] : [typed(plan, plan.commands.predict)]),
      typed(plan, plan.commands.apply),
    ],
    undo: [typed(plan, plan.commands.restore), shellLine(['rm', '-r', folder])],
  };
}

/** A Compose command without the variables of this shell that would make it do something else. */
function typed({ overruled }: OverridePlan, argv: readonly string[]): string {
  const without = overruled.flatMap((name) => ['-u', name]);
  return shellLine(without.length === 0 ? argv : ['env', ...without, ...argv]);
}

/** `profiler override --service S --project P …`: the same service again. */
export function overrideCommand(
  plan: { readonly service: string; readonly project: string },
  flag: string,
): string {
  return shellLine(['profiler', 'override', '--service', plan.service, '--project', plan.project, flag]);
}

export function planJson(plan: OverridePlan): string {
  // As for people: what must not be applied is not spelled out.
  const isRefused = plan.obstacles.length > 0;
  return objectText('override', {
    ...planFacts(plan),
    file: plan.file,
    ...(isRefused ? {} : { commands: plan.commands, lines: overrideLines(plan) }),
    findings: [...plan.obstacles, ...plan.findings],
  });
}

function planFacts(plan: OverridePlan): object {
  const { project, service, container, tool, capabilities, recreated, lost, sharers } = plan;
  return { project, service, container, tool, capabilities, recreated, lost, sharers };
}

/** What would be done, the lines that a person could type, and what it costs. */
export function planText(plan: OverridePlan, style: TextStyle): string {
  const head = headLine(plan);
  if (!isNeeded(plan)) return page([head, ...noteLines(plan.findings, style)]);
  const alarms = alarmLines([...plan.obstacles.map(withList), ...plan.findings], style);
  // What must not be applied is not spelled out.
  if (plan.obstacles.length > 0) return page([...alarms, head, ...noteLines(plan.findings, style)]);
  const lines = overrideLines(plan);
  return page([
    ...alarms,
    head,
    '',
    `  ${cleanText(plan.file.path)}`,
    ...plan.file.text
      .split('\n')
      .slice(0, -1)
      .map((line) => `    ${cleanText(line)}`),
    '',
    `  To apply it${plan.commands.predict === undefined ? '' : ' (the third line only says what would happen)'}:`,
    ...lines.apply.map((line) => `    ${cleanText(line)}`),
    '',
    '  To undo it:',
    ...lines.undo.map((line) => `    ${cleanText(line)}`),
    '',
    ...costLines(plan, style),
    ...noteLines(plan.findings, style),
    '',
    `  next: ${cleanText(overrideCommand(plan, plan.zeroX === undefined ? '--apply' : '--0x'))}${plan.zeroX === undefined ? '' : ' --apply'}`,
  ]);
}

/** A finding beside an answer has no lines of its own for its list. */
function withList(finding: Finding): Finding {
  const { list = [], ...rest } = finding;
  return list.length === 0 ? rest : { ...rest, what: `${rest.what} ${list.join(' ')}` };
}

function headLine({ service, project, container, tool }: OverridePlan): string {
  const made = tool.version === '' ? '' : ` ${tool.version}`;
  return cleanText(
    `  Service ${service} of project ${project} · container ${container.name} · ${tool.argv.join(' ')}${made}`,
  );
}

/** What is made anew and what goes with it, twice: now and when it is undone. */
export function costLines(plan: OverridePlan, style: TextStyle): readonly string[] {
  const ends =
    plan.zeroX === undefined
      ? []
      : wrap(
          '0x cannot attach to a running program: it starts it, and ends it to draw its page. Then the original is made anew.',
          style.width,
          '  ',
          '    ',
        );
  const names = plan.recreated.join(', ');
  const item = (line: string): readonly string[] => wrap(cleanText(line), style.width, '    - ', '      ');
  return [
    ...wrap(
      cleanText(`Made anew, now and when it is undone: ${names}. No other service is touched.`),
      style.width,
      '  ',
      '    ',
    ),
    ...ends,
    '  Lost each time:',
    ...plan.lost.flatMap(item),
  ];
}

export function appliedJson(plan: OverridePlan, applied: AppliedOverride, restore: string): string {
  return objectText('override-applied', {
    ...planFacts(plan),
    container: applied.container,
    changed: applied.undo !== undefined,
    folder: applied.undo?.folder,
    restore: applied.undo === undefined ? undefined : restore,
    findings: [...plan.findings, ...applied.findings],
  });
}

export function appliedText(
  plan: OverridePlan,
  applied: AppliedOverride,
  restore: string,
  style: TextStyle,
): string {
  const findings = [...plan.findings, ...applied.findings];
  if (applied.undo === undefined) return page([headLine(plan), ...noteLines(findings, style)]);
  const { id, name } = applied.container;
  const steps = applied.findings.some((one) => one.id === 'override-not-stepping') ? '' : ' and steps again';
  return page([
    ...alarmLines(findings, style),
    cleanText(`  Container ${name} (${id.slice(0, 12)}) has ${plan.capabilities.join(', ')}${steps}.`),
    ...noteLines(findings, style),
    cleanText(`  to undo it: ${restore}`),
  ]);
}

export interface RestoreRow {
  readonly undo: Pick<OverrideUndo, 'project' | 'service'>;
  readonly result: RestoredOverride | { readonly outcome: 'failed'; readonly findings: readonly Finding[] };
}

const OUTCOMES = {
  restored: 'is as it was before the override.',
  untouched: 'runs without the override already.',
  changed: 'runs with other settings than before, and without the override.',
  stopped: 'has its original settings again, and stays stopped.',
  gone: 'was taken down; nothing is left of the override.',
  failed: 'could not be restored.',
} as const;

export function restoredJson(rows: readonly RestoreRow[]): string {
  return objectText('override-restored', {
    overrides: rows.map(({ undo, result }) => ({
      project: undo.project,
      service: undo.service,
      outcome: result.outcome,
      findings: result.findings,
    })),
    findings: rows.flatMap(({ result }) => result.findings),
  });
}

/** `unsure`: something that may name more overrides could not be read. */
export function restoredText(rows: readonly RestoreRow[], style: TextStyle, unsure = false): string {
  if (rows.length === 0) return page([unsure ? '  No override was found.' : '  No override is in place.']);
  const lines = rows.flatMap(({ undo, result }) => [
    cleanText(`  Service ${undo.service} of project ${undo.project} ${OUTCOMES[result.outcome]}`),
    ...alarmLines(result.findings, style),
    ...noteLines(result.findings, style),
  ]);
  return page(rows.length === 1 ? lines : [...lines, `  ${plural(rows.length, 'override')} looked at.`]);
}

function page(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
