// Writes the tables of numbers by which the sampler reads CPython: see scripts/cpython/layouts.mjs. With --check it only says whether
// they are current (exit code 1 where they are not), with --missing what they cannot be made without.
import { readFileSync, writeFileSync } from 'node:fs';
import { generate, missing } from './cpython/layouts.mjs';

const reason = missing();
if (reason !== undefined) {
  console.error(reason);
  process.exitCode = 1;
} else if (process.argv.includes('--missing')) {
  console.log('nothing is missing');
} else {
  const check = process.argv.includes('--check');
  for (const { path, text } of generate()) {
    if (!check) {
      writeFileSync(path, text);
      console.log(path);
    } else if (readFileSync(path, 'utf8') !== text) {
      console.error(`${path} is not what scripts/cpython-layouts.mjs makes`);
      process.exitCode = 1;
    }
  }
}
