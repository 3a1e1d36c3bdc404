// Writes the tables of numbers by which the sampler reads CPython 3.8 to 3.13: see scripts/cpython/layouts.mjs.
import { writeFileSync } from 'node:fs';
import { FILE, generate, generateObjects, missing, OBJECTS_FILE } from './cpython/layouts.mjs';

const reason = missing();
if (reason !== undefined) {
  console.error(`cpython-layouts: ${reason}`);
  process.exit(1);
}
writeFileSync(FILE, generate());
writeFileSync(OBJECTS_FILE, generateObjects());
console.log(`${FILE}\n${OBJECTS_FILE}`);
