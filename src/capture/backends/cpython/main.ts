/**
 * The sampler of CPython: a process of its own, so that it can have real-time priority while the rest of us does not. `main.js PLAN`, a
 * `ReaderPlan` as JSON; `main.js PLAN FILE HZ SECONDS` records one window, for a person.
 */
import type { ReaderPlan } from './cpython-reader.js';
import { runSampler } from './sampler.js';

await runSampler(() => JSON.parse(process.argv[2] ?? '{}') as ReaderPlan, process.argv.slice(3), {
  among: false,
});
