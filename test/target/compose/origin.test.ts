import { describe, expect, it } from 'vitest';
import { ProfilerError } from '../../../src/model/index.js';
import { composeOrigin } from '../../../src/target/compose/origin.js';

const V2 = {
  'com.docker.compose.project': 'robot',
  'com.docker.compose.service': 'bridge',
  'com.docker.compose.container-number': '2',
  'com.docker.compose.config-hash': 'abc',
  'com.docker.compose.oneoff': 'False',
  'com.docker.compose.project.config_files': '/srv/robot/compose.yaml,/srv/robot/compose.override.yaml',
  'com.docker.compose.project.working_dir': '/srv/robot',
  'com.docker.compose.project.environment_file': '/srv/robot/prod.env',
  'com.docker.compose.version': '2.29.7',
};

function thrownBy(labels: Readonly<Record<string, string>>): ProfilerError['finding'] {
  try {
    composeOrigin({ name: 'robot-bridge-1', labels });
  } catch (error) {
    if (error instanceof ProfilerError) return error.finding;
  }
  throw new Error('nothing was thrown');
}

describe('the labels of a container', () => {
  it('name the files, also an override that was loaded by itself', () => {
    expect(composeOrigin({ name: 'x', labels: V2 })).toEqual({
      project: 'robot',
      service: 'bridge',
      number: 2,
      workingDir: '/srv/robot',
      configFiles: ['/srv/robot/compose.yaml', '/srv/robot/compose.override.yaml'],
      environmentFiles: ['/srv/robot/prod.env'],
      configHash: 'abc',
      generation: 'v2',
      version: '2.29.7',
    });
  });

  it('of Compose v1 hold paths as they were typed', () => {
    const labels = {
      ...V2,
      'com.docker.compose.project.config_files': 'docker-compose.yml,../more.yml',
      'com.docker.compose.version': '1.29.2',
    };
    expect(composeOrigin({ name: 'x', labels })).toMatchObject({
      generation: 'v1',
      configFiles: ['/srv/robot/docker-compose.yml', '/srv/more.yml'],
    });
  });

  it('are those of v2 when the plugin was built without a version', () => {
    expect(composeOrigin({ name: 'x', labels: { ...V2, 'com.docker.compose.version': '' } })).toMatchObject({
      generation: 'v2',
      version: '',
    });
  });

  it('may name a path with a comma in it', () => {
    const labels = { ...V2, 'com.docker.compose.project.config_files': '/a,b/compose.yaml,/c/two.yaml' };
    const there = new Set(['/a,b/compose.yaml', '/c/two.yaml']);
    const origin = composeOrigin({ name: 'x', labels }, (path) => there.has(path));
    expect(origin.configFiles).toEqual(['/a,b/compose.yaml', '/c/two.yaml']);
  });

  it('keep our own file apart from the project’s', () => {
    const ours = '/tmp/sim-profiler-override-0123abcd/override.yaml';
    const labels = { ...V2, 'com.docker.compose.project.config_files': `/srv/robot/compose.yaml,${ours}` };
    expect(composeOrigin({ name: 'x', labels })).toMatchObject({
      configFiles: ['/srv/robot/compose.yaml'],
      throwaway: ours,
    });
  });
});

describe('a container that cannot be overridden', () => {
  it('was made by docker run', () => {
    const { id, what, fix } = thrownBy({});
    expect({ id, what }).toEqual({
      id: 'override-not-compose',
      what: 'Container robot-bridge-1 was not made by Compose.',
    });
    expect(fix).toContain('docker run --cap-add SYS_PTRACE');
  });

  it('belongs to a swarm', () => {
    expect(thrownBy({ 'com.docker.swarm.service.name': 'robot_bridge' }).fix).toBe(
      'docker service update --cap-add SYS_PTRACE robot_bridge',
    );
  });

  it('was made by podman-compose, which has the same labels', () => {
    expect(thrownBy({ ...V2, 'io.podman.compose.version': '1.0.6' })).toMatchObject({
      id: 'override-not-compose',
      what: 'Container robot-bridge-1 was made by podman-compose 1.0.6.',
    });
  });

  it('was started by compose run', () => {
    expect(thrownBy({ ...V2, 'com.docker.compose.oneoff': 'True' }).id).toBe('override-one-off');
  });

  it('came from standard input', () => {
    expect(thrownBy({ ...V2, 'com.docker.compose.project.config_files': '-' }).id).toBe('override-stdin');
  });
});
