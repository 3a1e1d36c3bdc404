import { ProfilerError } from '../model/index.js';

/** What was named was read, and has nothing that is known. */
export function noTables(source: string): ProfilerError {
  return new ProfilerError({
    id: 'no-tables',
    what: `${source === '-' ? 'Standard input' : source} holds no table that is known.`,
    why: 'Simulators print them to standard error, at the end of a run that was told to measure itself.',
    fix: 'roqsim sim WORLD --profile 2>&1 | profiler tables -',
  });
}
