// Writes man/profiler.1 from the built command line: what `--help` says, as a manual page.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { ownManPage } = await import('../dist/cli/own-man-page.js');
mkdirSync(`${root}man`, { recursive: true });
writeFileSync(`${root}man/profiler.1`, await ownManPage());
