// Writes a file that never ends, and says so once it has begun.
import { writeSync } from 'node:fs';

const [dist, path] = process.argv.slice(2);
const { writeWholeFile } = await import(`${dist}/cli/whole-file.js`);

function* endless() {
  for (let at = 0; ; at += 1) {
    if (at === 200) writeSync(1, 'begun\n');
    yield 'x'.repeat(1000);
  }
}
await writeWholeFile(path, endless());
