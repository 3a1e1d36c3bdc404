import { isatty } from 'node:tty';

/**
 * Has this process end by SIGHUP where its terminal is gone by then. Node sets the terminal back as it ends, and aborts with a core dump
 * where that fails; who does not handle SIGHUP never gets so far.
 */
export function endWithTerminal(): void {
  if (!process.listeners('exit').includes(hangUp)) process.on('exit', hangUp);
}

function hangUp(): void {
  const isGone = [process.stdin, process.stdout, process.stderr].some(
    // The stream remembers what it was, the system says what it is.
    ({ isTTY }, fd) => isTTY && !isatty(fd),
  );
  if (!isGone) return;
  // Without a listener the signal does what it does to every program.
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}
