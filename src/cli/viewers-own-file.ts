import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { asList, asRecord } from '../formats/index.js';
import { type Finding, ProfilerError } from '../model/index.js';
import { documentOf, traceEvents } from '../simulator/index.js';
import { inputText } from './input-bytes.js';
import type { Io } from './io.js';

const HEAD_BYTES = 4096;
/** More is no trace of a step, and no string. */
const MOST_BYTES = 400e6;

/** A file that speedscope reads by itself: its own, or a trace of Chrome. */
export interface ViewersOwnFile {
  readonly format: 'speedscope' | 'chrome-trace';
  readonly text: string;
  /** As it lies there; else what is whole of it. */
  readonly isAsItIs: boolean;
  readonly findings: readonly Finding[];
}

/**
 * Undefined for anything else, for what is no file, and for a file that the viewer would refuse although it is one of its own.
 * @throws ProfilerError `no-durations` for a trace that would be an empty page.
 */
export async function viewersOwnFile(io: Io, name: string): Promise<ViewersOwnFile | undefined> {
  if (name === '-') return undefined;
  const head = await headOf(resolve(io.cwd, name));
  const format = head === undefined ? undefined : formatOf(head);
  if (format === undefined) return undefined;
  const text = await inputText(io, name);
  return format === 'speedscope' ? soundProfile(text) : traceToShow(text, name);
}

/** The viewer refuses a file without profiles, and a negative weight; what reads profiles says so, or leaves it out. */
function soundProfile(text: string): ViewersOwnFile | undefined {
  const profiles = asList(asRecord(documentOf(text)?.document)?.['profiles'])?.map(asRecord) ?? [];
  const isSound = profiles.every((profile) => asList(profile?.['weights'])?.every(isWeight) ?? true);
  if (profiles.length === 0 || !isSound) return undefined;
  return { format: 'speedscope', text, isAsItIs: true, findings: [] };
}

function isWeight(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

/** Begins, ends, both in one, and the samples that Chrome puts into its traces. */
const SHOWN_PHASES: ReadonlySet<unknown> = new Set(['B', 'E', 'X', 'P']);

/** The viewer reads a list without its end, but none that is cut within an event. */
function traceToShow(text: string, name: string): ViewersOwnFile | undefined {
  const read = documentOf(text);
  const events = traceEvents(read?.document);
  if (read === undefined || events === undefined) return undefined;
  if (!events.some((event) => SHOWN_PHASES.has(asRecord(event)?.['ph'])))
    throw noDurations(name, events.length);
  const { document, finding } = read;
  const isAsItIs = finding === undefined;
  return {
    format: 'chrome-trace',
    text: isAsItIs ? text : JSON.stringify(document),
    isAsItIs,
    findings: isAsItIs ? [] : [finding],
  };
}

function noDurations(name: string, events: number): ProfilerError {
  return new ProfilerError({
    id: 'no-durations',
    what: `${name} has no event with a duration: none of its ${events} begins (B), ends (E) or is complete (X).`,
    why: 'Instants and counters say when something was: they are no profile, and speedscope would show nothing.',
    fix: `Open it where they are drawn: https://ui.perfetto.dev`,
  });
}

async function headOf(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const facts = await file.stat();
      if (!facts.isFile() || facts.size > MOST_BYTES) return undefined;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return buffer
        .toString('utf8', 0, bytesRead)
        .replace(/^\uFEFF/, '')
        .trimStart();
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

function formatOf(head: string): ViewersOwnFile['format'] | undefined {
  if (!/^[[{]/.test(head)) return undefined;
  if (head.includes('www.speedscope.app/file-format-schema')) return 'speedscope';
  const isTrace = /"traceEvents"\s*:/.test(head) || (head.startsWith('[') && /"ph"\s*:/.test(head));
  return isTrace ? 'chrome-trace' : undefined;
}
