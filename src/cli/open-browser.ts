import { errorReason } from '../model/index.js';

/**
 * Opens an address in the user's browser. What starts browsers says only later that it found none, so the failure is told when it is
 * known; as long as the browser itself may run in it, nothing is.
 * @param failed gets the reason, once at most.
 */
export async function openBrowser(url: string, failed: (why: string) => void): Promise<void> {
  try {
    const { default: open } = await import('open');
    const starter = await open(url);
    const ended = (code: number | null): void => {
      if (code !== 0 && code !== null) failed(`what starts it ended with exit code ${code}`);
    };
    if (starter.exitCode === null) starter.once('exit', ended);
    else ended(starter.exitCode);
  } catch (error) {
    failed(errorReason(error));
  }
}
