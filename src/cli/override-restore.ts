import { resolve } from 'node:path';
import { type Finding, ProfilerError } from '../model/index.js';
import {
  adoptOverride,
  type JournalledOverride,
  listOverrides,
  lookIntoJournals,
  type OverrideUndo,
  restoreOverride,
} from '../target/index.js';
import type { Io } from './io.js';
import { type RestoreRow, restoredJson, restoredText } from './override-text.js';
import { namedContainer, type TargetFlags } from './target-flags.js';
import { tellFindings } from './tell-findings.js';

/** `profiler override --restore`: every override that was left, or the one of the named service. */
export async function restoreNamed(io: Io, flags: TargetFlags & { readonly json?: true }): Promise<void> {
  const { unreadable } = lookIntoJournals(io.env);
  tellFindings(
    io,
    unreadable.map(({ path, because }) => notRead(path, because)),
  );
  const rows: RestoreRow[] = [];
  for (const undo of await wanted(io, flags)) {
    io.err(`Restoring service ${undo.service} of project ${undo.project} …\n`);
    rows.push(await restoreOne(io, undo));
  }
  await io.out(
    flags.json === true ? restoredJson(rows) : restoredText(rows, io.style, unreadable.length > 0),
  );
  const unknown = rows.length === 0 && unreadable.length > 0;
  if (unknown || rows.some(({ result }) => result.outcome === 'failed')) io.setExitCode(1);
}

function notRead(path: string, because: string): Finding {
  return {
    level: 'warning',
    id: 'journal-not-read',
    what: `The journal ${path} could not be read: ${because}.`,
    why: 'An override that it names is not found by it.',
    fix: 'profiler cleanup --dry-run',
  };
}

/** One that fails does not keep the others from being restored. */
async function restoreOne(io: Io, undo: OverrideUndo): Promise<RestoreRow> {
  try {
    return { undo, result: await restoreOverride(undo, { env: io.env }) };
  } catch (error) {
    if (!(error instanceof ProfilerError)) throw error;
    return { undo, result: { outcome: 'failed', findings: [error.finding] } };
  }
}

async function wanted(io: Io, flags: TargetFlags): Promise<readonly OverrideUndo[]> {
  const left = listOverrides(io.env);
  if (flags.container === undefined && flags.service === undefined)
    return left.flatMap(({ undo, inUse }) => (inUse ? [] : [undo]));
  const fitting = left.filter(({ undo }) => fits(undo, flags, io.cwd));
  const [first] = fitting;
  if (new Set(fitting.map(({ undo }) => undo.project)).size > 1) throw ambiguous(fitting);
  if (first !== undefined) {
    if (first.inUse) throw usedElsewhere(first);
    return fitting.map(({ undo }) => undo);
  }
  // Nobody wrote it down, but the labels of a running container tell as much.
  const named = await namedContainer(io, flags, ['override', '--restore']);
  const adopted =
    named === undefined ? undefined : await adoptOverride(named.engine, named.container.id, io.env);
  return adopted === undefined ? [] : [adopted];
}

function fits(undo: OverrideUndo, flags: TargetFlags, cwd: string): boolean {
  const { container, service, project, compose } = flags;
  if (container !== undefined)
    return undo.before.some(({ name, id }) => name === container || id.startsWith(container));
  return (
    service === undo.service &&
    (project === undefined || project === undo.project) &&
    (compose ?? []).every((file) => undo.restore.includes(resolve(cwd, file)))
  );
}

function ambiguous(found: readonly JournalledOverride[]): ProfilerError {
  const [first] = found;
  return new ProfilerError(
    {
      id: 'override-ambiguous',
      what: `${found.length} projects have an override of such a service.`,
      list: found.map(({ undo }) => `${undo.project}: ${undo.service}`),
      why: 'None is guessed.',
      fix: `profiler override --restore --service ${first?.undo.service ?? 'NAME'} --project ${first?.undo.project ?? 'NAME'}`,
    },
    2,
  );
}

function usedElsewhere({ undo }: JournalledOverride): ProfilerError {
  return new ProfilerError({
    id: 'override-in-use',
    what: `Another profiler still works with the override of service ${undo.service}.`,
    why: 'It puts the original back itself when it ends.',
    fix: 'profiler cleanup --dry-run',
  });
}
