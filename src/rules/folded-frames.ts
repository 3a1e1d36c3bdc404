import type { Frame, FrameKind } from '../model/index.js';

const LINE = /^(.+):(-?\d+)$/;
const LIBRARY = /(?:\.so(?:\.[\d.]+)?|\.dylib|\.dll)$|^(?:\[.*\]|\?)$/;
const SCRIPT = /\.(?:py|pyx|pyi)$/;
/** What Node and browsers run, and Node's own library: `node:internal/timers`. */
const JAVASCRIPT = /\.[cm]?[jt]sx?$|^node:/;

/**
 * Reads the stacks that rules carry as examples: frames from root to leaf with `;` between them, each
 * `name (file.py:12)`, `name (lib.so)`, `name (file.py)` or a bare `name`, and after a blank `#` the text of the executed line
 * (which may hold no `;`). Throws RangeError for an empty stack or frame.
 */
export function parseFoldedFrames(stack: string): readonly Frame[] {
  return stack.split(';').map((text) => {
    if (text.trim() === '') throw new RangeError(`empty frame in "${stack}"`);
    return parseFrame(text.trim());
  });
}

function parseFrame(text: string): Frame {
  const hash = text.indexOf(' #');
  const place = (hash === -1 ? text : text.slice(0, hash)).trimEnd();
  const sourceText = hash === -1 ? undefined : text.slice(hash + 2).trim();
  const open = place.lastIndexOf(' (');
  if (open <= 0 || !place.endsWith(')')) {
    return { name: place, kind: place.startsWith('<') ? 'marker' : 'unknown' };
  }
  const name = place.slice(0, open);
  const inside = place.slice(open + 2, -1);
  if (LIBRARY.test(inside)) return { name, kind: 'native', module: inside };
  const withLine = LINE.exec(inside);
  const file = withLine?.[1] ?? inside;
  return {
    name,
    kind: kindOf(name, file),
    file,
    ...(withLine?.[2] === undefined ? {} : { line: Number(withLine[2]) }),
    ...(sourceText === undefined ? {} : { sourceText }),
  };
}

function kindOf(name: string, file: string): FrameKind {
  if (JAVASCRIPT.test(file)) return 'js';
  return SCRIPT.test(file) || name.startsWith('<') ? 'python' : 'unknown';
}
