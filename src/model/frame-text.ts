import type { Frame } from './frame.js';
import type { Profile } from './profile.js';
import { framesOf } from './stack-walk.js';
import type { Thread } from './thread.js';

/** A thread name that a reader takes for one although nothing around it says so. */
const PLAIN_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/-]*$/u;

/**
 * One frame in py-spy's spelling: `name (file:line)`, `name (library)`, a marker bare. `_[k]` marks kernel code, `(?)` native code
 * of unknown library. Raw: clean it before printing.
 */
export function frameText(frame: Frame): string {
  const name = folded(frame);
  if (frame.file !== undefined) {
    // Without line or ending a Python file would look like a library.
    const bare = frame.kind === 'python' && !/\.pyw?$|^<.*>$/.test(frame.file) ? ':0' : '';
    return `${name} (${frame.file}${frame.line === undefined ? bare : `:${frame.line}`})`;
  }
  if (frame.module !== undefined) return `${name} (${frame.module})`;
  if (frame.kind === 'kernel') return `${name}_[k]`;
  return frame.kind === 'native' ? `${name} (?)` : name;
}

/**
 * A symbol may hold a `;` (`Lcom/sim/Pub;::send`), which nothing tells from the end of a frame: `:` stands for it, as FlameGraph writes
 * it. So may a label, which is any text, with lines of its own. Other names hold none but where they are corrupt, which shows.
 */
function folded({ name, kind }: Frame): string {
  if (kind === 'marker') return name.replaceAll(/[;\r\n]/g, ':');
  return kind === 'native' || kind === 'js' || kind === 'kernel' ? name.replaceAll(';', ':') : name;
}

/**
 * The outermost frames of a folded line, which name process and thread, in py-spy's spelling. Empty for a thread of which nothing
 * is known.
 * @param next text of the frame below: it decides whether a bare name can be told from a frame.
 */
export function threadText(thread: Thread, next?: string): string {
  return threadPieces(thread, next).join(';');
}

function threadPieces(thread: Thread, next?: string): string[] {
  const parts = (thread.parents ?? []).map(processText);
  if (thread.pid !== undefined) {
    parts.push(processText({ pid: thread.pid, command: thread.command ?? '' }));
  }
  const { tid, name } = thread;
  if (tid !== undefined) parts.push(`thread (${tid})${name === undefined ? '' : `: ${name}`}`);
  else if (name !== undefined) {
    const plain = parts.length === 0 && PLAIN_NAME.test(name) && next?.endsWith(')') === true;
    parts.push(plain ? name : `thread (?): ${name}`);
  }
  return parts;
}

function processText(process: { readonly pid: number; readonly command: string }): string {
  return `process ${process.pid}:"${process.command}"`;
}

/** Thread and stack as one folded line without its count, root first. Empty if neither is known. */
export function stackText(profile: Profile, stack: number, thread: number): string {
  return stackPieces(profile, stack, thread).join(';');
}

/** What `stackText` puts between its `;`. A piece may hold one too: names are raw. */
export function stackPieces(profile: Profile, stack: number, thread: number): readonly string[] {
  const frames = framesOf(profile, stack).map((index) => frameText(frameAt(profile, index)));
  const owner = profile.threads[thread];
  return [...(owner === undefined ? [] : threadPieces(owner, frames[0])), ...frames];
}

function frameAt(profile: Profile, index: number): Frame {
  const frame = profile.frames[index];
  if (frame === undefined) throw new RangeError(`no frame ${index}`);
  return frame;
}
