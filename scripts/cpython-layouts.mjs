// Writes the tables of numbers by which the sampler reads CPython 3.8 to 3.12: see scripts/cpython/layouts.mjs.
import { writeFileSync } from 'node:fs';
import { FILE, generate, missing } from './cpython/layouts.mjs';

const reason = missing();
if (reason !== undefined) {
  console.error(`cpython-layouts: ${reason}`);
  process.exit(1);
}
writeFileSync(FILE, generate());
console.log(FILE);
