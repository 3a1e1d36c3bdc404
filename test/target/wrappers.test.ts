import { expect, it } from 'vitest';
import { wrapperReason } from '../../src/target/wrappers.js';

it.each([
  [['npm start'], 'npm only starts or watches other processes'],
  [['npm run bridge -- --port 9090'], 'npm only starts or watches other processes'],
  [['node', '/usr/bin/npm-cli.js', 'start'], 'npm-cli.js only starts other processes'],
  [['node', '/app/node_modules/.bin/nodemon', 'bridge.js'], 'nodemon only starts other processes'],
  [['/usr/bin/node', '/opt/yarn/bin/yarn.js', 'start'], 'yarn.js only starts other processes'],
  [['node', 'bridge.js'], undefined],
  [['node', '/app/npm.js'], undefined],
  [['rosbridge'], undefined],
] as const)('%j: %s', (command, reason) => {
  expect(wrapperReason(command, undefined)).toBe(reason);
});
