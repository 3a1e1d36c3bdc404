import { ProfilerError } from '../../../src/model/index.js';

/** The finding of the `ProfilerError` that it throws, at once or later. */
export async function failureOf(attempt: () => unknown): Promise<ProfilerError['finding']> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof ProfilerError) return error.finding;
    throw error;
  }
  throw new Error('it did not fail');
}
