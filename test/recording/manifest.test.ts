import { readFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ProfilerError } from '../../src/model/index.js';
import { readManifest, writeRecording } from '../../src/recording/index.js';
import { laidOut, recording, slice, temporaryFolders, threadAccounting } from './example.js';

const folder = temporaryFolders();

const WHOLE = recording({
  label: 'before\nfix',
  threadTid: 48212,
  slices: [
    slice({
      behindS: 0.2,
      exit: 'SIGINT',
      accounting: [
        threadAccounting({
          nsTid: 27,
          cpus: '0-1',
          states: { looks: 9, running: 4, gil: 1, sleep: 3, other: 1 },
        }),
      ],
    }),
  ],
  loopRates: [{ tid: 48211, measure: 'voluntary-switches', before: [500], during: [499, 500], after: [] }],
  sources: {
    '/srv/app/roqsim/engine.py': { short: 'roqsim/engine.py', lines: { '278': '    mj_step(m, d)' } },
  },
  threadIds: { '140001': 48211 },
  printed: [{ source: 'sim.log', fromByte: 10, toByte: 512, text: 'per-plugin \u00B5s/call\n' }],
  findings: [{ level: 'note', id: 'x', what: 'a', why: 'b' }],
});

async function idOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProfilerError)) throw new Error(`no ProfilerError but ${String(error)}`);
  return error.finding.id;
}

describe('recording.json', () => {
  it('comes back as it was written', async () => {
    const path = join(folder(), 'new');
    await writeRecording(path, WHOLE);
    expect(await readManifest(path)).toEqual(WHOLE);
  });

  it('without what its program printed is read as ever', async () => {
    const old = recording();
    expect(await readManifest(await laidOut(folder(), old))).toEqual(old);
  });

  it('is for its owner only, and leaves nothing half written', async () => {
    const path = folder();
    await chmod(path, 0o755);
    await laidOut(path, WHOLE);
    await writeRecording(path, { ...WHOLE, ended: 'interrupted' });
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, 'recording.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(path)).toEqual(['recording.json']);
    expect((await readManifest(path)).ended).toBe('interrupted');
  });

  it('says who wrote a newer one, and to update', async () => {
    const path = await laidOut(folder(), WHOLE);
    const newer = { ...WHOLE, schema: 'sim-profiler/recording/v2', version: '3.1.4', slices: 'elsewhere' };
    writeFileSync(join(path, 'recording.json'), JSON.stringify(newer));
    const error: unknown = await readManifest(path).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProfilerError);
    expect((error as ProfilerError).finding).toMatchObject({
      id: 'recording-too-new',
      what: `${join(path, 'recording.json')} has schema sim-profiler/recording/v2, written by sim-profiler 3.1.4; this one reads up to sim-profiler/recording/v1.`,
      fix: 'npm install -g sim-profiler@latest',
    });
  });

  it('lets fields go that it does not know', async () => {
    const path = await laidOut(folder(), WHOLE);
    writeFileSync(join(path, 'recording.json'), JSON.stringify({ ...WHOLE, mood: 'good' }));
    expect(await readManifest(path)).toEqual(WHOLE);
  });

  it.each([
    [
      'cut off',
      (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2)),
      'recording-damaged',
    ],
    ['empty', (path: string) => truncateSync(path, 0), 'recording-damaged'],
    ['another tool’s', (path: string) => writeFileSync(path, '{"bag": 1}'), 'not-a-recording'],
    ['a list', (path: string) => writeFileSync(path, '[]'), 'not-a-recording'],
  ])('is refused when %s', async (_name, damage, id) => {
    const path = await laidOut(folder(), WHOLE);
    damage(join(path, 'recording.json'));
    expect(await idOf(readManifest(path))).toBe(id);
  });

  it('names the field that is wrong', async () => {
    const path = await laidOut(folder(), WHOLE);
    const text = readFileSync(join(path, 'recording.json'), 'utf8');
    writeFileSync(join(path, 'recording.json'), text.replace('"9007199254740993000"', '"soon"'));
    await expect(readManifest(path)).rejects.toThrow('slices.0.startNs: not a number of nanoseconds');
  });

  const only = WHOLE.slices[0]!;
  const [row] = only.accounting;
  it.each([
    ['"rateHz": 250', '"rateHz": 1e999', 'rateHz: not finite'],
    ['"rateHz": 250', '"rateHz": 0', 'rateHz: not from 1 to 100000'],
    ['"rateHz": 250', '"rateHz": 100001', 'rateHz: not from 1 to 100000'],
    ['"rateHz": 250', '"rateHz": null', 'rateHz: not a number'],
    ['"requestedS": 20', '"requestedS": -20', 'requestedS: less than nothing'],
    ['"requestedS": 20', '"requestedS": 1e300', 'requestedS: too large'],
    ['"samples": 500', '"samples": 1e300', 'slices.0.samples: too large'],
    ['"samples": 500', '"samples": 0.5', 'slices.0.samples: not a whole number'],
    ['"errors": 1', '"errors": -1', 'slices.0.errors: less than nothing'],
    ['"wallNs": 2000000000', '"wallNs": 0', 'slices.0.accounting.0.wallNs: less than 1'],
    ['"wallNs": 2000000000', '"wallNs": 1e-300', 'slices.0.accounting.0.wallNs: not a whole number'],
    ['"onCpuNs": 800000000', '"onCpuNs": 1e-300', 'slices.0.accounting.0.onCpuNs: not a whole number'],
    ['"cpuWaitNs": 10000000', '"cpuWaitNs": 0.5', 'slices.0.accounting.0.cpuWaitNs: not a whole number'],
    ['"busyNs": 3000000000', '"busyNs": 3000000000.5', 'slices.0.machineCpu.busyNs: not a whole number'],
    ['"wallNs": 2000000000', '"wallNs": 1e999', 'slices.0.accounting.0.wallNs: not finite'],
    [
      '"stolenNs": 200000000',
      '"stolenNs": 3000000001',
      'slices.0.machineCpu.stolenNs: more than what was in use',
    ],
    [
      '"onCpuNs": 800000000',
      '"onCpuNs": 2100000001',
      'slices.0.accounting.0.onCpuNs: more than its wall time',
    ],
    [
      '"cpuWaitNs": 10000000',
      '"cpuWaitNs": 2100000001',
      'slices.0.accounting.0.cpuWaitNs: more than its wall time',
    ],
    ['"looks": 9', '"looks": 1e999', 'slices.0.accounting.0.states.looks: not finite'],
    ['"cpus": "0-1"', '"cpus": "0; id"', 'slices.0.accounting.0.cpus: not a list of CPUs'],
    ['"cpus": 2', '"cpus": -2', 'machine.cpus: less than nothing'],
    ['"toByte": 512', '"toByte": 9', 'printed.0.toByte: before its beginning'],
    ['"toByte": 512', '"toByte": 0.5', 'printed.0.toByte: not a whole number'],
  ])('is refused when %s is %s', async (whole, absurd, said) => {
    const path = await laidOut(folder(), WHOLE);
    const text = readFileSync(join(path, 'recording.json'), 'utf8');
    expect(text).toContain(whole);
    writeFileSync(join(path, 'recording.json'), text.replace(whole, absurd));
    const error: unknown = await readManifest(path).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      finding: {
        id: 'recording-damaged',
        what: `${join(path, 'recording.json')} cannot be read: ${said}.`,
      },
    });
  });

  it('may charge a thread a little more than its wall time', async () => {
    const charged = { ...row!, onCpuNs: 2.1e9, cpuWaitNs: 2.1e9 };
    const slack = { ...WHOLE, slices: [{ ...only, accounting: [charged] }] };
    expect(await readManifest(await laidOut(folder(), slack))).toEqual(slack);
  });

  it('names a slice once, and not without end', async () => {
    const twice = await laidOut(folder(), { ...WHOLE, slices: [only, { ...only, samples: 1 }] });
    await expect(readManifest(twice)).rejects.toThrow(
      'slices.1.file: slices/000.raw is already that of another slice',
    );
    const many = await laidOut(folder(), WHOLE);
    const short = { file: 'a', accounting: [] };
    writeFileSync(
      join(many, 'recording.json'),
      JSON.stringify({ ...WHOLE, slices: Array.from({ length: 100_001 }, () => short) }),
    );
    await expect(readManifest(many)).rejects.toThrow('slices: more than 100000 slices');
  });

  it('is missed in a folder that has none', async () => {
    expect(await idOf(readManifest(folder()))).toBe('not-a-recording');
    expect(await idOf(readManifest(join(folder(), 'nowhere')))).toBe('not-a-recording');
  });

  it('cannot be written below a file', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    expect(await idOf(writeRecording(join(file, 'x'), WHOLE))).toBe('folder-not-writable');
  });
});
