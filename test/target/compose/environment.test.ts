import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  composeEnvironment,
  recordVariables,
  replayVariables,
} from '../../../src/target/compose/environment.js';
import { scratch } from '../scratch.js';

describe('the variables of a shell', () => {
  it('that decide what Compose does are recorded, and no others', () => {
    const file = join(scratch(), 'compose.yaml');
    writeFileSync(file, 'image: "a:${TAG:-1}"\ncommand: echo $MODE $$HOME_OF_NOBODY\n');
    const env = { TAG: '7', SECRET: 's', PASSED: 'p', OTHER: 'o', PATH: '/bin', TOLD: 't' };
    const recorded = recordVariables(env, {
      files: [file, '/nowhere'],
      known: ['TOLD'],
      settings: ['PASSED=p', 'OTHER=else'],
    });
    expect(recorded.environment).toEqual({ TAG: '7', PASSED: 'p', PATH: '/bin', TOLD: 't' });
    expect(recorded.unset).toContain('MODE');
    expect(recorded.unset).not.toContain('SECRET');
  });

  it('are put back as they were, also those that were not set', () => {
    expect(
      replayVariables({ TAG: '8', MODE: 'fast', LANG: 'C' }, { environment: { TAG: '7' }, unset: ['MODE'] }),
    ).toEqual({ TAG: '7', LANG: 'C' });
  });

  it('that would overrule our flags are left out', () => {
    const env = {
      COMPOSE_FILE: 'x',
      COMPOSE_ENV_FILES: 'y',
      COMPOSE_REMOVE_ORPHANS: '1',
      COMPOSE_PROFILES: 'sim',
    };
    expect(composeEnvironment(env, { host: 'unix:///run/d.sock' })).toEqual({
      COMPOSE_PROFILES: 'sim',
      COMPOSE_PROGRESS: 'plain',
      COMPOSE_ANSI: 'never',
      DOCKER_HOST: 'unix:///run/d.sock',
    });
  });
});
