import type { Frame, Profile, Thread } from '../model/index.js';
import { frameText } from '../model/index.js';
import { viewerName } from './viewer-name.js';

/**
 * The same profile with names that a folded line can hold. Nothing can be escaped there: a line end in a name would end the line, a `;` the
 * frame, and a number behind a blank would be a second count. Control characters become their pictures, as for other viewers, `;` becomes
 * `:`, as FlameGraph writes it, and the blank before a last number `_`.
 */
export function withFoldedNames(profile: Profile): Profile {
  return { ...profile, frames: profile.frames.map(frameOf), threads: profile.threads.map(threadOf) };
}

/** Where it is the first of a line, `#` begins a comment. */
export function noComment(line: string): string {
  return line.startsWith('#') ? `\uFF03${line.slice(1)}` : line;
}

function piece(text: string): string {
  return viewerName(text).replaceAll(';', ':');
}

function frameOf(frame: Frame): Frame {
  const { name, file, module } = frame;
  const written = {
    ...frame,
    name: piece(name),
    ...(file === undefined ? {} : { file: piece(file) }),
    ...(module === undefined ? {} : { module: piece(module) }),
  };
  return / \d+$/.test(frameText(written))
    ? { ...written, name: written.name.replace(/ (?=\d+$)/, '_') }
    : written;
}

function threadOf(thread: Thread): Thread {
  const { name, command, parents } = thread;
  return {
    ...thread,
    ...(name === undefined ? {} : { name: piece(name) }),
    ...(command === undefined ? {} : { command: piece(command) }),
    ...(parents === undefined
      ? {}
      : { parents: parents.map((parent) => ({ ...parent, command: piece(parent.command) })) }),
  };
}
