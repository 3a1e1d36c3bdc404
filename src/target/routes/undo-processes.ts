import type { Finding } from '../../model/index.js';
import type { RoutedProcess } from './route.js';

/** The programs of a route that still run. */
export interface RunningProcesses {
  readonly add: (process: RoutedProcess) => RoutedProcess;
  /** Kills what still runs, and waits for its end. */
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
      await Promise.all(
        [...running].map((process) => {
          process.kill();
          // What nobody reads any more would keep its streams open.
          process.stdout.resume();
          process.stderr.resume();
          return process.exit;
        }),
      );
      return [];
    },
  };
}
