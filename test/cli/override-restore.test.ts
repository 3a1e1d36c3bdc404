import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { overrideCommand } from '../../src/cli/override.js';
import { scratch } from '../target/scratch.js';
import { userWith } from './user.js';

describe('override --restore', () => {
  it('says that a journal could not be read, and does not claim that nothing is in place', async () => {
    const home = scratch();
    const folder = join(home, 'sim-profiler/journal');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'a.json'), 'null');
    const { io, said } = userWith({ env: { XDG_STATE_HOME: home }, cwd: home });
    await overrideCommand(io).parseAsync(['--restore'], { from: 'user' });
    expect([said.out, said.code]).toEqual(['  No override was found.\n', 1]);
    expect(said.err.replaceAll(/\s+/g, ' ')).toContain(
      `The journal ${join(folder, 'a.json')} could not be read: it is damaged: no journal.`,
    );
  });
});
