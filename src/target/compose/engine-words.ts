import { errorCode } from '../../model/index.js';
import { engineFailure, statusOf } from '../docker/engine-error.js';

/** Runs `work`, and puts into words for users what the engine refuses. `action` completes "the engine could not …". */
export async function inWords<T>(action: string, container: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Anything else is a fault of ours, and must look like one.
    const isEngines = statusOf(error) !== undefined || errorCode(error) !== undefined;
    throw isEngines ? engineFailure(action, container, error) : error;
  }
}
