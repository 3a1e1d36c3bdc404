import { expect, it } from 'vitest';
import { programName } from '../../src/cli/program-name.js';

it.each([
  [['python3', '-u', '/app/run_bridge.py', '--headless'], 'run_bridge.py'],
  [['python3', '-m', 'rover_sim', '--pacing', 'asap'], 'rover_sim'],
  [['/usr/bin/python3.11', '-X', 'importtime', 'sim.py'], 'sim.py'],
  [['/usr/bin/python3.11', '-c', 'import time\nwhile True: time.sleep(1)'], 'python3.11'],
  [['/opt/sim/bin/gzserver', '--verbose'], 'gzserver'],
  [['python3', '-'], 'python3'],
  [['python3', '-m'], 'python3'],
  [['python3', '/app/'], 'python3'],
  [[], 'process'],
])('%j is %s', (command, name) => {
  expect(programName(command)).toBe(name);
});
