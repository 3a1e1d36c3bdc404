import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const STEPS = new URL('../../../dist/telemetry/steps/index.js', import.meta.url).pathname;

async function bundled(program: string, minify: boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  writeFileSync(join(folder, 'in.mjs'), program);
  const bundle = await rolldown({ input: join(folder, 'in.mjs'), platform: 'node' });
  const { output } = await bundle.generate({ format: 'esm', minify });
  writeFileSync(join(folder, 'out.mjs'), output[0].code);
  return join(folder, 'out.mjs');
}

describe('a program in one file', () => {
  it('that uses nothing of steps has nothing of them', async () => {
    const file = await bundled(`import { StepProfiler } from '${STEPS}'; export const one = 1;`, false);
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.filter((line) => line !== '' && !line.startsWith('//'))).toEqual([
      'const one = 1;',
      'export { one };',
    ]);
  });

  it('writes its traces in a worker all the same', async () => {
    const file = await bundled(
      `import { StepProfiler, flushTraces } from '${STEPS}';
       const prof = new StepProfiler({ tracePath: process.argv[2], printReport: false, loopLag: false });
       prof.step('a', () => undefined);
       await prof.close();
       console.log(JSON.stringify(await flushTraces()));`,
      true,
    );
    const path = `${file}.json`;
    const run = await execa(process.execPath, [file, path]);
    expect([JSON.parse(run.stdout), run.stderr]).toEqual([[path], '']);
    const { traceEvents } = JSON.parse(readFileSync(path, 'utf8')) as { traceEvents: { name: string }[] };
    expect(traceEvents.map(({ name }) => name)).toEqual(['thread_name', 'thread_name', 'a']);
  });
});
