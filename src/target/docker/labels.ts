/** On every container and image that we make; its value names the run that made it. */
export const SESSION_LABEL = 'sim-profiler.session';
/** What it is: `sidecar`, `image`, `override`. */
export const KIND_LABEL = 'sim-profiler.kind';
/** Id of the container that it was made for. */
export const TARGET_LABEL = 'sim-profiler.target';

/** Labels of Compose, the same in versions 1 and 2; see docs.docker.com/compose and `compose/pkg/api/labels.go`. */
export const COMPOSE = {
  project: 'com.docker.compose.project',
  service: 'com.docker.compose.service',
  number: 'com.docker.compose.container-number',
  oneOff: 'com.docker.compose.oneoff',
  workingDir: 'com.docker.compose.project.working_dir',
  configFiles: 'com.docker.compose.project.config_files',
  environmentFile: 'com.docker.compose.project.environment_file',
  configHash: 'com.docker.compose.config-hash',
  version: 'com.docker.compose.version',
} as const;
