// The closing lines of scripts/test: what was skipped and why, then `N passed, N failed, N skipped`.
// Usage: summary.mjs FAILED_STEPS RESULTS.json...; exits 1 when anything failed or nothing ran.
import { readFileSync } from 'node:fs';

const [failedSteps, ...files] = process.argv.slice(2);
const tests = [];
let brokenFiles = 0;
for (const file of files)
  try {
    const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
    tests.push(...testResults.flatMap((suite) => suite.assertionResults));
    brokenFiles += testResults.filter(
      (suite) => suite.status === 'failed' && suite.assertionResults.length === 0,
    ).length;
  } catch (error) {
    console.log(`The test runner left no results: ${error.message}`);
    brokenFiles += 1;
  }
const passed = tests.filter((test) => test.status === 'passed').length;
const skipped = tests.filter((test) => test.status !== 'passed' && test.status !== 'failed');
let failed = tests.filter((test) => test.status === 'failed').length + brokenFiles;
// A failed lint, format or type check counts as one failure when no test explains it.
if (failedSteps !== '0' && failed === 0) failed = 1;

// A skipped test carries its reason at the end of its name: `name [skipped: no CPython 3.9 here]`.
const reasons = new Map();
for (const test of skipped) {
  const reason = /\[skipped: (.*)\]$/.exec(test.title)?.[1] ?? `no reason given: ${test.fullName}`;
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
}
for (const [reason, count] of reasons) console.log(`skipped ${count}: ${reason}`);
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
