import { errorCode } from '../../model/index.js';

/** Whether there is such a process, also where /proc hides it from us or it belongs to another user. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
