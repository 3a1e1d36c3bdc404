import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTracefs } from '../src/target/tracing/tracefs.js';
import { PYSPY, SIM_PYTHON } from './e2e/demo-simulation.js';

const tracefs = findTracefs();

/** Why no step of the demo simulation can be probed here; undefined where one can. */
export const whyNoSteps =
  existsSync(SIM_PYTHON) && existsSync(PYSPY)
    ? 'because' in tracefs
      ? tracefs.because
      : undefined
    : 'no .cache/sim-venv: run scripts/test';

/** All probes in the kernel, as it lists them. */
export const probesNow = (): string =>
  'path' in tracefs ? readFileSync(join(tracefs.path, 'uprobe_events'), 'utf8') : '';
