import type { ComposeOrigin } from './origin.js';
import type { ComposeTool } from './tool.js';

/** What every Compose command about one project has in common. */
export interface ProjectLine {
  readonly tool: ComposeTool;
  readonly origin: ComposeOrigin;
  /** Profiles to switch on by name. */
  readonly profiles: readonly string[];
}

/** `docker compose -p P --project-directory D -f A -f B …`: every file by name, since `-f` switches the automatic override off. */
export function projectArguments(line: ProjectLine, ...moreFiles: readonly string[]): readonly string[] {
  const { tool, origin, profiles } = line;
  const files = [...origin.configFiles, ...moreFiles];
  return [
    ...tool.argv,
    '-p',
    origin.project,
    '--project-directory',
    origin.workingDir,
    ...files.flatMap((file) => ['-f', file]),
    ...origin.environmentFiles.flatMap((file) => ['--env-file', file]),
    ...profiles.flatMap((profile) => ['--profile', profile]),
  ];
}

/** The part after it that touches one service and nothing else. `scale` is needed where the files say another number than runs. */
export function upArguments(
  { tool, origin }: ProjectLine,
  scale: number,
  ...flags: readonly string[]
): readonly string[] {
  return [
    'up',
    ...flags,
    '--no-deps',
    '--no-build',
    ...(tool.generation === 'v1' ? [] : ['--pull', 'never']),
    ...(scale > 1 ? ['--scale', `${origin.service}=${scale}`] : []),
    origin.service,
  ];
}
