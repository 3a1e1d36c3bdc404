import type { Finding } from '../../model/index.js';
import type { RoutedProcess } from './route.js';
import { samplersLeft } from './route-findings.js';
import { KILLED_MS, within } from './within.js';

/** The programs of a route that still run. */
export interface RunningProcesses {
  readonly add: (process: RoutedProcess) => RoutedProcess;
  /** Kills what still runs, and waits for its end, but not for ever: what is left is told. */
  readonly undo: () => Promise<readonly Finding[]>;
}

export function undoProcesses(): RunningProcesses {
  const running = new Set<RoutedProcess>();
  return {
    add: (process) => {
      running.add(process);
      void process.exit.then(() => running.delete(process));
      return process;
    },
    undo: async () => {
      const exits = await Promise.all(
        [...running].map((process) => {
          process.kill();
          // What nobody reads any more would keep its streams open.
          process.stdout.resume();
          process.stderr.resume();
          return within(KILLED_MS, process.exit);
        }),
      );
      return samplersLeft(exits.filter((exit) => exit === undefined).length);
    },
  };
}
