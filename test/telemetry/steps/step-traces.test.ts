import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missionTables } from '../../../src/simulator/index.js';
import { StepProfiler } from '../../../src/telemetry/steps/index.js';
import type { TraceWriter, WriteRequest } from '../../../src/telemetry/steps/trace-writer.js';
import { HERE, ManualHost } from './manual-host.js';

const folder = mkdtempSync(join(tmpdir(), 'steps-'));

const isWhole = (path: string): boolean =>
  Array.isArray((JSON.parse(readFileSync(path, 'utf8')) as { traceEvents: unknown }).traceEvents);

/** A disk that never answers. */
const HUNG: TraceWriter = {
  append: () => new Promise(() => undefined),
  takeOver: () => false,
  rest: () => undefined,
};

describe('traces of a program', () => {
  it('are in memory until they are asked for, also those of missions that came before', async () => {
    const host = new ManualHost();
    const paths: string[] = [];
    for (const mission of ['M000Setup', 'M010Drive', 'M010Drive']) {
      const prof = new StepProfiler({ host, tracePath: join(folder, 'run.json'), mission });
      prof.step('a', () => host.pass(125));
      await prof.close();
      paths.push(prof.tracePath ?? '');
    }
    expect(paths.map((path) => path.slice(folder.length + 1))).toEqual([
      'run.M000Setup.json',
      'run.M010Drive.json',
      'run.M010Drive-2.json',
    ]);
    expect(paths.map((path) => existsSync(path))).toEqual([false, false, false]);
    expect(await Promise.all([host.traces.flush(), host.traces.flush()])).toEqual([paths, []]);
    expect(paths.map(isWhole)).toEqual([true, true, true]);
    expect(await host.traces.flush()).toEqual([]);
    expect(host.exits.size).toBe(0);
    // Together they are the missions of one run.
    const [missions] = missionTables(paths.map((path) => ({ name: path, text: readFileSync(path, 'utf8') })));
    expect(missions?.rows.map(({ name, calls, totalUs }) => [name, calls, totalUs])).toEqual([
      ['M000Setup', 1, 125_000],
      ['M010Drive', 1, 125_000],
      ['M010Drive-2', 1, 125_000],
    ]);
    expect(missions?.findings.map(({ id }) => id)).toEqual(['missions-without-common-clock']);
  });

  it('that nobody asked for are written when the program ends', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, tracePath: join(folder, 'forgotten.json') });
    prof.step('a', () => host.pass(125));
    await prof.close();
    expect(host.exits.size).toBe(1);
    for (const exit of host.exits) exit();
    expect(isWhole(join(folder, 'forgotten.json'))).toBe(true);
    expect([host.exits.size, host.warnings]).toEqual([0, []]);
  });

  it('that are written in the background, after `using`, are waited for and answered by the next flush', async () => {
    const host = new ManualHost();
    const path = join(folder, 'using.json');
    {
      using prof = new StepProfiler({ host, tracePath: path, deferTrace: false });
      prof.step('a', () => host.pass(125));
    }
    expect(host.printed.join('')).toContain(`  Chrome trace not finished: ${path}\n`);
    expect(await host.traces.flush()).toEqual([path]);
    expect(isWhole(path)).toBe(true);
  });

  it('of a run without steps are traces too', async () => {
    const host = new ManualHost();
    const path = join(folder, 'nothing.json');
    await new StepProfiler({ host, tracePath: path, deferTrace: false }).close();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      displayTimeUnit: 'ms',
      traceEvents: [
        { name: 'thread_name', ph: 'M', pid: 1, tid: 0, args: { name: 'main' } },
        { name: 'thread_name', ph: 'M', pid: 1, tid: 1, args: { name: 'event-loop-lag' } },
      ],
    });
  });

  it('are closed once, whoever closes them', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, tracePath: join(folder, 'once.json') });
    await Promise.all([prof.close(), prof.close()]);
    prof[Symbol.dispose]();
    await prof[Symbol.asyncDispose]();
    expect(host.printed.length).toBe(1);
    expect(await host.traces.flush()).toEqual([join(folder, 'once.json')]);
  });

  it('grow no further than their bound where the disk does not answer, and the program ends all the same', () => {
    const host = new ManualHost(HUNG, 1_000_000);
    const path = join(folder, 'hung.json');
    const prof = new StepProfiler({ host, tracePath: path, printReport: false });
    // More than 500 bytes each.
    for (let at = 0; at < 20_000; at += 1) prof.step('a step of a', () => host.pass(1));
    for (const exit of host.exits) exit();
    expect(host.warnings).toEqual([
      `The trace ${path} is not whole: 20000 events are missing (more came than could be written meanwhile).`,
    ]);
    expect(existsSync(path)).toBe(false);
  });

  it('are written one after the other, however many steps end meanwhile', async () => {
    const requests: WriteRequest[] = [];
    const host = new ManualHost({
      ...HERE,
      append: (request) => {
        requests.push(request);
        return HERE.append(request);
      },
    });
    const path = join(folder, 'busy.json');
    const prof = new StepProfiler({ host, tracePath: path, deferTrace: false, printReport: false });
    for (let at = 0; at < 3000; at += 1) await prof.step('a', async () => host.pass(1));
    await prof.close();
    const { traceEvents } = JSON.parse(readFileSync(path, 'utf8')) as { traceEvents: unknown[] };
    expect(traceEvents.length).toBe(3002);
    expect(requests.slice(1).every(({ at }, before) => at === requests[before]?.result)).toBe(true);
    expect(Math.max(...requests.map(({ text }) => text.split('\n').length))).toBeLessThan(1100);
  });
});
