import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { ProfilerError, errorReason } from '../model/index.js';

/** One file of the viewer. */
export interface PageFile {
  readonly type: string;
  readonly content: Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.wasm': 'application/wasm',
};

const require = createRequire(import.meta.url);

/**
 * Speedscope's own release as it was published, by file name; `index.html` is the page. Nothing but these files is ever served.
 * @throws ProfilerError `no-viewer` where the installation is not whole.
 */
export function viewerFiles(): ReadonlyMap<string, PageFile> {
  try {
    const folder = join(dirname(require.resolve('speedscope/package.json')), 'dist/release');
    const files = readdirSync(folder).flatMap((name) => {
      const type = TYPES[extname(name)];
      return type === undefined ? [] : [[name, { type, content: readFileSync(join(folder, name)) }] as const];
    });
    if (!files.some(([name]) => name === 'index.html')) throw new Error(`${folder} has no index.html`);
    return new Map(files);
  } catch (error) {
    throw new ProfilerError({
      id: 'no-viewer',
      what: `The viewer speedscope, which is installed with profiler, cannot be read (${errorReason(error)}).`,
      why: 'The installation is not whole.',
      fix: 'install profiler again, or: profiler export --to speedscope -o FILE',
    });
  }
}
