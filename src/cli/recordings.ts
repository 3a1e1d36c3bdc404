import { Command } from 'commander';
import { type Finding, ProfilerError, shellLine } from '../model/index.js';
import {
  findRecording,
  listRecordings,
  pruneRecordings,
  type Pruned,
  type PrunedEntry,
  type Recording,
  type RecordingEntry,
  type RecordingList,
  type UnfinishedRecording,
  unfinishedFinding,
} from '../recording/index.js';
import {
  alarmLines,
  cleanText,
  noteLines,
  objectText,
  plural,
  tableLines,
  type TextStyle,
} from '../report/index.js';
import { examples, positive, wholeFromOne } from './flags.js';
import type { Io } from './io.js';

interface PruneFlags {
  readonly keep?: number;
  readonly olderThan?: number;
  readonly dryRun?: true;
  readonly json?: true;
}

/** `profiler recordings list|show|prune`. Throws `ProfilerError`. */
export function recordingsCommand(
  io: Pick<Io, 'out' | 'cwd' | 'style'>,
  now: () => Date = () => new Date(),
): Command {
  const command = new Command('recordings').description('list, show and prune the recordings of this folder');
  command
    .command('list', { isDefault: true })
    .description('the recordings under ./recordings, newest first')
    .option('--json', 'print one JSON object')
    .action(async ({ json }: { readonly json?: true }) => {
      const list = await listRecordings(io.cwd);
      await io.out(json ? listJson(list, io.cwd) : listText(list, io));
    });
  command
    .command('show')
    .description('what one recording knows about itself')
    .argument('[recording]', 'folder or label; default: the newest')
    .option('--json', 'print one JSON object')
    .action(async (wanted: string | undefined, { json }: { readonly json?: true }) => {
      const entry = await findRecording(io.cwd, wanted);
      await io.out(json ? entryJson(entry) : recordingText(entry, io.style));
    });
  command
    .command('prune')
    .description('remove old recordings under ./recordings')
    .option('--keep <count>', 'keep this many newest', wholeFromZero)
    .option('--older-than <days>', 'remove only those made more than this many days ago', positive)
    .option('--dry-run', 'say what would go, remove nothing')
    .option('--json', 'print one JSON object')
    .action(async (flags: PruneFlags) => {
      const pruned = await prune(io.cwd, flags, now());
      await io.out(flags.json ? prunedJson(pruned, flags) : prunedText(pruned, flags));
    });
  return command.addHelpText(
    'after',
    examples([
      ['profiler recordings', 'the recordings of this folder'],
      ['profiler recordings show before-fix', 'target, commands, window and findings of one'],
      ['profiler recordings prune --keep 10', 'remove all but the ten newest'],
      ['profiler recordings prune --older-than 30 --dry-run', 'say which are older than 30 days'],
    ]),
  );
}

function wholeFromZero(text: string): number {
  return /^0+$/.test(text) ? 0 : wholeFromOne(text);
}

async function prune(cwd: string, flags: PruneFlags, now: Date): Promise<Pruned> {
  const { keep, olderThan, dryRun } = flags;
  if (keep === undefined && olderThan === undefined) {
    throw new ProfilerError(
      {
        id: 'usage',
        what: 'Nothing says which recordings may go.',
        why: 'They cannot be brought back, so none goes without a word.',
        fix: 'profiler recordings prune --keep 10',
      },
      2,
    );
  }
  const wish = {
    ...(keep === undefined ? {} : { keep }),
    ...(olderThan === undefined ? {} : { olderThanDays: olderThan }),
    ...(dryRun === undefined ? {} : { dryRun }),
  };
  return pruneRecordings(cwd, wish, now);
}

function listJson(list: RecordingList, cwd: string): string {
  return objectText('recordings', {
    recordings: list.recordings.map(({ name, path, recording }) => ({
      name,
      path,
      label: recording.label,
      createdAt: recording.createdAt,
      ended: recording.ended,
      backend: recording.backend,
      rateHz: recording.rateHz,
      wallS: wallS(recording),
      pid: recording.target.pid,
      command: recording.target.command,
    })),
    unfinished: list.unfinished.map(({ name, path, file }) => ({ name, path, file })),
    findings: [...unreadable(list), ...begun(list, cwd)],
  });
}

function entryJson({ name, path, recording }: RecordingEntry): string {
  return objectText('recording', { name, path, recording, findings: recording.findings });
}

function prunedJson({ removed, kept }: Pruned, { dryRun }: PruneFlags): string {
  return objectText('pruned', {
    dryRun: dryRun ?? false,
    removed: removed.map(nameAndPath),
    kept: kept.map(nameAndPath),
    findings: [],
  });
}

function nameAndPath({ name, path }: PrunedEntry): object {
  return { name, path };
}

/** The list is right without them, so they do not stop it. */
function unreadable(list: RecordingList): readonly Finding[] {
  return list.unreadable.map(({ finding }) => ({ ...finding, level: 'warning' }));
}

function begun(list: RecordingList, cwd: string): readonly Finding[] {
  return list.unfinished.map((entry) => ({ ...unfinishedFinding(entry, cwd), level: 'note' }));
}

/** Length of all slices in seconds. */
function wallS({ slices }: Recording): number {
  return slices.reduce((sum, slice) => sum + Number(BigInt(slice.endNs) - BigInt(slice.startNs)) / 1e9, 0);
}

/** A table, newest first, then what was never finished; a note for each folder that cannot be read. */
function listText(list: RecordingList, { style, cwd }: Pick<Io, 'style' | 'cwd'>): string {
  if (list.recordings.length + list.unreadable.length + list.unfinished.length === 0) {
    return 'No recordings in this folder yet.  next: profiler attach --pid PID\n';
  }
  const columns = [
    // Never cut: it is what one types.
    { head: 'recording' },
    { head: 'label', shrinkTo: 8 },
    { head: 'window', align: 'right' },
    { head: 'ended' },
    { head: 'command', shrinkTo: 12 },
  ] as const;
  const finished = list.recordings.map(({ name, recording }) => [
    cleanText(name),
    cleanText(recording.label ?? ''),
    `${wallS(recording).toFixed(1)} s`,
    recording.ended,
    cleanText(recording.target.command.join(' ')),
  ]);
  const rows = [...finished, ...list.unfinished.map(unfinishedRow)];
  const notes = [...alarmLines(unreadable(list), style), ...noteLines(begun(list, cwd), style)];
  return `${[...(rows.length === 0 ? [] : tableLines(columns, rows, style)), ...notes].join('\n')}\n`;
}

function unfinishedRow({ name }: UnfinishedRecording): string[] {
  return [cleanText(name), '', '', 'unfinished', ''];
}

/** What a recording says of itself, one fact a line; the exact commands last, to copy. */
function recordingText({ path, recording }: RecordingEntry, style: TextStyle): string {
  const { target, slices, findings } = recording;
  const inside = target.nsPid === undefined ? '' : `, ${target.nsPid} inside`;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['folder', path],
    ['label', recording.label],
    ['made', `${recording.createdAt} by sim-profiler ${recording.version}`],
    ['target', `pid ${target.pid}${inside}: ${target.command.join(' ')}`],
    [
      'container',
      [target.containerName, target.container].filter((part) => part !== undefined).join(' ') || undefined,
    ],
    ['runtime', [target.runtime, target.runtimeVersion].join(' ').trim()],
    ['machine', `${plural(recording.machine.cpus, 'CPU')}, Linux ${recording.machine.kernel}`],
    ['sampler', [recording.backend, recording.backendVersion].join(' ').trim()],
    ['took', samplerText(recording)],
    ['route', recording.route],
    ['priority', recording.policy],
    ['window', `${wallS(recording).toFixed(1)} s of ${recording.requestedS} s at ${recording.rateHz} Hz`],
    ['slices', String(slices.length)],
    ['ended', recording.ended],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name.padEnd(9)}  ${cleanText(value)}`],
  );
  const commands = recording.commands.map((argv) => `  ran        ${cleanText(shellLine(argv))}`);
  const notes = [...alarmLines(findings, style), ...noteLines(findings, style)];
  return `${[...lines, ...commands, ...notes].join('\n')}\n`;
}

/** What our own sampler took, over all slices; undefined for another. */
function samplerText(recording: Recording): string | undefined {
  const taken = recording.slices.flatMap(({ sampler }) => sampler ?? []);
  if (taken.length === 0) return undefined;
  const cpuUs = taken.reduce((sum, one) => sum + one.cpuUs, 0);
  const late = Math.max(...taken.map(({ lateUs }) => lateUs.p99));
  return `${((100 * cpuUs) / 1e6 / wallS(recording)).toFixed(1)} % of a core; 99 of 100 samples at most ${(late / 1000).toFixed(1)} ms late`;
}

function prunedText({ removed, kept }: Pruned, { dryRun }: PruneFlags): string {
  const verb = dryRun === true ? 'would remove' : 'removed';
  const lines = removed.map(({ name }) => `${verb} ${cleanText(name)}`);
  return `${[...lines, `${verb} ${plural(removed.length, 'recording')}, ${kept.length} kept`].join('\n')}\n`;
}
