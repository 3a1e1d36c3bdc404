import type { Frame } from '../model/index.js';

// Names that interpreters write into perf maps. CPython 3.12 and later (`-X perf`): `py::function:/path/file.py`. V8 (`--perf-basic-prof`):
// `JS:*name file:line:column`, older `LazyCompile:*name file:line:column`; the mark tells the compiler: ~ none, ^ and + early, * last.

const PYTHON = /^py::([^:]+):(.+)$/s;
const V8 =
  /^(?:JS|LazyCompile|Function|Script|Eval|InterpretedFunction|Interpreter|Callback):(?=[~*^+' /\w<(])/;
const V8_SURE = /^(?:JS|LazyCompile|Function|Script|Eval|InterpretedFunction):[~*^+]/;
const PLACE = /:(\d{1,9})(?::(\d{1,9}))?$/;
/** How the file of a V8 name begins where the name before it may hold blanks. */
const FILE_START = / (?=\/|[a-z]{2,12}:|[A-Za-z]:[\\/]|evalmachine)/;

/**
 * The function of another language that a symbol of a perf map is; undefined for one that is not known to be any.
 * @param sureOnly nothing tells that the symbol comes from a perf map.
 */
export function jitFrame(symbol: string, sureOnly: boolean): Frame | undefined {
  const python = PYTHON.exec(symbol);
  if (python !== null && (!sureOnly || /^[/<]/.test(python[2] ?? ''))) {
    return { name: python[1] ?? symbol, kind: 'python', file: pythonFile(python[2] ?? '') };
  }
  if (!sureOnly && symbol.startsWith('RegExp:')) return { name: symbol, kind: 'js' };
  return (sureOnly ? V8_SURE : V8).test(symbol) ? v8Frame(symbol) : undefined;
}

function v8Frame(symbol: string): Frame {
  const text = symbol.slice(symbol.indexOf(':') + 1).replace(/^[~*^+']/, '');
  const place = PLACE.exec(text.slice(-40));
  const whole = place === null ? text : text.slice(0, text.length - place[0].length);
  const blank = FILE_START.exec(whole)?.index ?? whole.indexOf(' ');
  const name = blank === -1 ? (place === null ? whole : '') : whole.slice(0, blank);
  const file = blank === -1 ? (place === null ? '' : whole) : whole.slice(blank + 1);
  const line = place === null ? 0 : Number(place[1]);
  return {
    // A script's own code has no name, like a function without one.
    name: name.trim() || '(anonymous)',
    kind: 'js',
    ...(file !== '' && { file: file.replace(/^file:\/\//, '') }),
    ...(line > 0 && file !== '' && { line }),
  };
}

const INSTALLED = /\/(?:site|dist)-packages\/|\/lib\/python\d\.\d{1,2}\/(?!site-packages\/|dist-packages\/)/;

/** Cut at its package where that can be seen, as samplers of Python print it. */
function pythonFile(path: string): string {
  const installed = INSTALLED.exec(path);
  return (installed === null ? path : path.slice(installed.index + installed[0].length)) || path;
}
