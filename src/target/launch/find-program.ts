import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { ProfilerError, errorCode } from '../../model/index.js';
import type { Environment } from '../tools/folder.js';

/** As a shell, `env` and `timeout` have them. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
/** Where execvp looks without PATH. */
const DEFAULT_PATH = '/bin:/usr/bin';

type Found = 'yes' | 'no' | 'folder' | 'not-executable';

function lookAt(path: string): Found {
  try {
    if (statSync(path).isDirectory()) return 'folder';
    accessSync(path, constants.X_OK);
    return 'yes';
  } catch (error) {
    return errorCode(error) === 'EACCES' ? 'not-executable' : 'no';
  }
}

/**
 * The file that a command name starts: a path as it is, a bare name by PATH. Throws ProfilerError `program-not-found` (127),
 * `program-not-executable` (126).
 */
export function findProgram(name: string, env: Environment, cwd: string): string {
  const isPath = name.includes('/');
  const folders = isPath ? [''] : (env['PATH'] ?? DEFAULT_PATH).split(delimiter);
  const looked = folders.map((folder) => {
    const path = isPath ? resolve(cwd, name) : resolve(cwd, folder, name);
    return { path, found: name === '' ? ('no' as const) : lookAt(path) };
  });
  const there = looked.find(({ found }) => found === 'yes');
  if (there !== undefined) return there.path;
  const refused = looked.find(({ found }) => found === 'not-executable' || (isPath && found === 'folder'));
  if (refused === undefined)
    throw new ProfilerError(
      {
        id: 'program-not-found',
        what: `There is no program called ${name === '' ? '"" (an empty name)' : name}.`,
        why: isPath ? 'No such file.' : 'No folder of PATH has it.',
        fix: isPath ? `ls -l ${name}` : `command -v ${name === '' ? 'python3' : name}`,
      },
      NOT_FOUND,
    );
  throw new ProfilerError(
    {
      id: 'program-not-executable',
      what: `${name} cannot be started: it is ${refused.found === 'folder' ? 'a folder' : 'not executable'}.`,
      why:
        refused.found === 'folder'
          ? 'Only a file can be started.'
          : 'It has no right to be executed by this user.',
      fix: name.endsWith('.py') ? `profiler run -- python3 ${name}` : `ls -l ${refused.path}`,
    },
    NOT_EXECUTABLE,
  );
}
