import { foldedLines, type Profile } from '../model/index.js';
import type { Dialect } from './folded-reader.js';
import { readFolded } from './folded-reader.js';
import { noComment, withFoldedNames } from './folded-names.js';
import { PERF_GRAMMAR, PLACE_GRAMMAR, PLAIN_GRAMMAR } from './foreign-frame.js';
import type { Format, Sniffed } from './format.js';
import { dataLines, endsInCount, hasPyspyShape, headText } from './sniff.js';

/**
 * Folded text as flamegraph.pl takes it, from perf, Tachyon, Austin and others. Written in py-spy's spelling, so that reading it
 * again gives the same frames and threads, but for characters that no line can hold (folded-names.ts).
 */
export const FOLDED: Format = {
  id: 'folded',
  title: 'folded stacks (flamegraph.pl, perf, austin, tachyon)',
  sniff,
  read: (chunks, origin) => readFolded(chunks, origin, dialectOf),
  write: function* write(profile) {
    if (profile.unit !== 'samples') yield `# unit: ${profile.unit}\n`;
    yield* foldedText(profile);
  },
};

/** Every stack as a line with its end, whatever characters names hold. */
export function* foldedText(profile: Profile): Generator<string> {
  for (const line of foldedLines(withFoldedNames(profile))) yield `${noComment(line)}\n`;
}

function sniff(head: Uint8Array): Sniffed {
  const text = headText(head);
  if (text === undefined || /^\s*(?:[[{]\s*["{[\]}]|<[?!]|<svg|<html)/i.test(text)) return 'no';
  const lines = dataLines(head);
  const stacks = lines.filter((line) => line.length > 2 && endsInCount(line) && /[^\d\s.,;+-]/.test(line));
  if (stacks.length === 0)
    return lines.length === 1 && (lines[0] ?? '').split(';', 4).length > 3 ? 'unsure' : 'no';
  if (stacks.length * 2 < lines.length) return 'no';
  if (lines.some(hasPyspyShape)) return 'unsure';
  if (stacks.some((line) => line.includes(';'))) return 'yes';
  // Columns of numbers are a table.
  return stacks.every((line) => /\s\d+\s+\d+\s*$/.test(line)) ? 'no' : 'unsure';
}

/** Austin's and Tachyon's roots are unmistakable; perf is known by the marks that only it makes. */
function dialectOf(head: Uint8Array): Dialect {
  const text = headText(head) ?? '';
  const unit = /^# unit: nanoseconds\r?$/m.test(text) ? 'nanoseconds' : 'samples';
  const lines = dataLines(head);
  if (lines.some((line) => /^P\d+;T(?:\d+:)?(?:0x[\da-fA-F]+|\d+)[; ]/.test(line))) {
    return { grammar: PLACE_GRAMMAR, unit: 'nanoseconds', worth: 1000 };
  }
  if (lines.some((line) => /^tid:\d+[; ]/.test(line))) return { grammar: PLACE_GRAMMAR, unit, worth: 1 };
  return { grammar: lines.some(isPerf) ? PERF_GRAMMAR : PLAIN_GRAMMAR, unit, worth: 1 };
}

function isPerf(line: string): boolean {
  return (
    /_\[[kji]\](?:;| \d+\s*$)/.test(line) ||
    /^[^;]*-(?:\d+|\?)\/\d+;/.test(line) ||
    /^[^;]+;(?:_start|__libc_start_main|__libc_start_call_main|clone3?|__clone3?|start_thread|ret_from_fork|entry_SYSCALL_64[^;]*|do_syscall_64|\[unknown\]|\[[^;\]]+\.so[^;\]]*\])(?:;| \d+\s*$)/.test(
      line,
    )
  );
}
