// Starts the demo simulation for a benchmark and reads its truth.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const env = { PYTHONPATH: join(ROOT, 'compose/sim') };

/** Runs `python -m rover_sim --headless FLAGS` until it steps; `stop()` ends it. */
export async function startSimulation({ python, work, name, flags }) {
  mkdirSync(work, { recursive: true });
  const ring = join(work, `${name}.ring`);
  const ready = join(work, `${name}.ready`);
  for (const file of [ring, ready]) rmSync(file, { force: true });
  const child = execa(
    python,
    ['-m', 'rover_sim', '--headless', ...flags, '--truth', ring, '--ready-file', ready, '--die-with-parent'],
    { env, reject: false, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let ended = false;
  const end = child.then((result) => {
    ended = true;
    return result;
  });
  while (!existsSync(ready) || readFileSync(ready, 'utf8').trim() === '') {
    if (ended)
      throw new Error(`the demo simulation (${name}) ended before its first step: ${(await end).stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    pid: child.pid,
    ring,
    async stop() {
      child.kill('SIGINT');
      await end;
      rmSync(ring, { force: true });
    },
  };
}

/** The simulation's own truth over the union of `windows` ([start, end] in CLOCK_MONOTONIC nanoseconds). */
export async function truthOver(python, ring, windows) {
  const { stdout } = await execa(
    python,
    ['-m', 'rover_sim.truth_window', ring, ...windows.flat().map(String)],
    { env },
  );
  return JSON.parse(stdout);
}

/** Runs the compiled command line in `cwd`; never throws. */
export function profiler(args, { cwd, pyspy }) {
  return execa(process.execPath, [join(ROOT, 'dist/cli/bin.js'), ...args], {
    cwd,
    reject: false,
    env: { PROFILER_PY_SPY: pyspy },
  });
}

/** Cells in columns: the first to the left, the others to the right. */
export function row(cells, widths) {
  return cells
    .map((cell, i) => (i === 0 ? String(cell).padEnd(widths[i]) : String(cell).padStart(widths[i])))
    .join('  ');
}

export const percent = (x) => (x === undefined || Number.isNaN(x) ? '-' : (100 * x).toFixed(1));
export const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
