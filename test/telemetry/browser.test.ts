import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { createTelemetry } from '../../src/telemetry/browser.js';
import { openBrowser, whyNoBrowser } from '../browser.js';
import { itWhere } from '../only-where.js';
import { turns } from './hand-clock.js';

const ENTRY = fileURLToPath(new URL('../../src/telemetry/browser.ts', import.meta.url));

/** What a page loads that has these two lines. */
async function bundle(code: string): Promise<{ readonly imports: readonly string[]; readonly code: string }> {
  const made = await rolldown({
    input: 'page',
    platform: 'browser',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? id : undefined),
        load: (id) =>
          id === 'page' ? `import * as telemetry from ${JSON.stringify(ENTRY)};\n${code}` : undefined,
      },
    ],
  });
  const { output } = await made.generate({ format: 'esm', minify: true });
  expect(output).toHaveLength(1);
  return output[0];
}

describe('in a browser', () => {
  it('the span part takes at most 6 kB, and nothing of Node', async () => {
    const { imports, code } = await bundle('globalThis.t = telemetry.createTelemetry();');
    expect(imports).toEqual([]);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(6000);
  });

  it('what writes it down is loaded only where it is called', async () => {
    const spans = await bundle('globalThis.t = telemetry.createTelemetry();');
    const all = await bundle('globalThis.t = telemetry;');
    expect(all.imports).toEqual([]);
    expect(spans.code).not.toContain('sim_profiler_span');
    expect(all.code).toContain('sim_profiler_span');
  });

  itWhere(whyNoBrowser === undefined, whyNoBrowser ?? '')('a real one measures and reports', async () => {
    const { code } = await bundle(
      'globalThis.t = telemetry.createTelemetry(); globalThis.reportText = telemetry.reportText;',
    );
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ content: code, type: 'module' });
      await page.waitForFunction('globalThis.reportText !== undefined');
      const told = await page.evaluate(`(async () => {
        const { t, reportText } = globalThis;
        t.startFrame();
        for (let i = 0; i < 1000; i++) t.measure('update', () => {});
        await t.measure('load', async () => await new Promise((done) => requestAnimationFrame(done)));
        t.span('draw').end();
        t.endFrame();
        const { categories } = t.snapshot();
        return [categories.map(({ name, calls, open }) => [name, calls, open]), reportText(t.snapshot()).split('\\n')[0]];
      })()`);
      expect(told).toEqual([
        [
          ['Frame_Total', 1, 0],
          ['update', 1000, 0],
          ['load', 1, 0],
          ['draw', 1, 0],
        ],
        'Telemetry default: 1 thread, 0.7 MB',
      ]);
    } finally {
      await browser.close();
    }
  });

  it('of asynchronous calls own time is not known, and said', async () => {
    let now = 0;
    const t = createTelemetry({ name: 'browser', clock: () => now });
    const call = t.measure('call', async () => {
      now += 1;
      await turns();
      t.measure('work', () => (now += 10));
      return 'value';
    });
    expect(await call).toBe('value');
    {
      using _span = t.span('span');
      now += 100;
    }
    expect(t.snapshot().categories).toMatchObject([
      { name: 'call', calls: 1, sumMs: 11, ownMs: 0, ownUnknownCalls: 1, ownUnknownMs: 11 },
      { name: 'work', calls: 1, ownMs: 10 },
      { name: 'span', calls: 1, sumMs: 100, ownMs: 100 },
    ]);
    expect(t.snapshot().notes).toEqual([
      'call: own time is of 0 of 1 call; of the others it is not known what was inside.',
    ]);
  });
});
