// Writes the tables of numbers by which the sampler reads CPython 3.8 to 3.13: see scripts/cpython/layouts.mjs. With --check it only
// says whether they are current (exit code 1 where they are not), with --missing what they cannot be made without.
import { readFileSync, writeFileSync } from 'node:fs';
import { FILE, generate, generateObjects, missing, OBJECTS_FILE } from './cpython/layouts.mjs';

const check = process.argv.includes('--check');
const reason = missing();
if (reason !== undefined) {
  console.error(reason);
  process.exitCode = 1;
} else if (process.argv.includes('--missing')) {
  console.log('nothing is missing');
} else {
  for (const [file, make] of [
    [FILE, generate],
    [OBJECTS_FILE, generateObjects],
  ]) {
    const text = make();
    if (!check) {
      writeFileSync(file, text);
      console.log(file);
    } else if (readFileSync(file, 'utf8') !== text) {
      console.error(`${file} is not what scripts/cpython-layouts.mjs makes`);
      process.exitCode = 1;
    }
  }
}
