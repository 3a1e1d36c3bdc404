// Runs `profiler override` with the compiled package: a process that can be killed. PROFILER_DIST names another build.
import { pathToFileURL, fileURLToPath } from 'node:url';
import { join } from 'node:path';

const dist = process.env.PROFILER_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url));
const load = (file) => import(pathToFileURL(join(dist, file)).href);
const [{ processIo }, { overrideCommand }, { errorText }] = await Promise.all(
  ['cli/io.js', 'cli/override.js', 'report/index.js'].map(load),
);
const io = processIo(process);
try {
  await overrideCommand(io).exitOverride().parseAsync(process.argv.slice(2), { from: 'user' });
} catch (error) {
  if (error.finding === undefined) throw error;
  io.err(errorText(error.finding, false));
  io.setExitCode(error.exitCode);
}
