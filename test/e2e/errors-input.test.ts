import { createWriteStream, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/formats/index.js';
import { SLICE, writePacedRecording } from '../cli/recording-folder.js';
import { itWhere, onlyWithAll } from '../only-where.js';
import { ROOT } from './demo-simulation.js';
import { NOBODY, type ReadableCopy, errorOf, readableCopy, runsAsNobody } from './readable-copy.js';

const AS_NOBODY = await runsAsNobody(process.execPath, ['--version']);
const UNKNOWN = `is in none of the formats that can be read: ${FORMATS.filter(
  ({ read }) => read !== undefined,
)
  .map(({ title }) => title)
  .join(', ')}.`;
const NAMES = FORMATS.filter(({ read }) => read !== undefined)
  .map(({ id }) => id)
  .join('|');
const NAME_IT = `If it is one of them after all, name it: --format ${NAMES}`;
/** Two lines, the second with letters of two bytes each. */
const TWO_LINES = 'run (a.py:1);step (a.py:2) 5\nrun (a.py:1);шаг (a.py:3) 7\n';

let copy: ReadableCopy;
let cwd = '';
beforeAll(async () => {
  copy = await readableCopy();
  cwd = copy.scratch();
  writeFileSync(join(cwd, 'ok.raw'), TWO_LINES);
});
afterAll(() => {
  for (const folder of [copy.folder, cwd]) rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: string | Uint8Array, mode = 0o644): string {
  writeFileSync(join(cwd, name), content, { mode });
  return name;
}

/** Bytes without any order, the same ones every time. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 24;
  });
}

describe('a file that cannot be read', () => {
  itWhere(AS_NOBODY, 'needs root, and node where another user can run it')('is not ours', async () => {
    const name = file('secret.raw', TWO_LINES, 0o600);
    expect(errorOf(await copy.run(['hot', name], { cwd, user: NOBODY }))).toEqual({
      code: 1,
      out: '',
      what: 'secret.raw could not be read (EACCES).',
      why: 'You are not allowed to read it.',
      fix: 'ls -l secret.raw',
    });
  });

  it('is not there', async () => {
    expect(errorOf(await copy.run(['hot', 'nothing.raw'], { cwd }))).toMatchObject({
      code: 1,
      what: 'There is no file and no recording called nothing.raw.',
      fix: 'profiler recordings list',
    });
  });

  it('is a folder', async () => {
    mkdirSync(join(cwd, 'folder'));
    expect(errorOf(await copy.run(['hot', 'folder'], { cwd }))).toMatchObject({
      code: 1,
      what: 'folder is a folder, but no recording: it has no recording.json.',
      fix: 'profiler recordings list',
    });
  });

  it('is empty', async () => {
    expect(errorOf(await copy.run(['hot', file('empty.raw', '')], { cwd }))).toMatchObject({
      code: 1,
      why: 'empty.raw holds no stacks. It is empty, as what a py-spy or perf script that failed leaves.',
      fix: 'Try --idle, without --gil, and check the pid: py-spy record --idle -f raw -o FILE --pid PID',
    });
  });

  it.each<[string, string | Uint8Array, string, string]>([
    ['noise', noise(65_536), 'binary data (it begins with', NAME_IT],
    ['ok.raw.gz', gzipSync(TWO_LINES), 'gzip data.', 'gunzip -c ok.raw.gz | profiler hot -'],
    ['node', readFileSync(process.execPath).subarray(0, 65_536), 'a program or library (ELF).', NAME_IT],
    [
      'perf.data',
      Buffer.concat([Buffer.from('PERFILE2'), noise(4096)]),
      'perf.data, the binary recording of perf.',
      'perf script -i perf.data | profiler hot -',
    ],
    ['letter.txt', 'Dear reader,\nhow are you?\n', 'text without stacks and counts', NAME_IT],
  ])('is in no known format: %s', async (name, content, looks, fix) => {
    const error = errorOf(await copy.run(['hot', file(name, content)], { cwd }));
    expect(error).toMatchObject({ code: 1, out: '', what: `${name} ${UNKNOWN}`, fix });
    expect(error.why).toContain(`It looks like ${looks}`);
  });

  it('is noise that was called a profile', async () => {
    const run = await copy.run(['hot', file('noise.raw', noise(65_536)), '--format', 'folded'], { cwd });
    expect(errorOf(run)).toMatchObject({ code: 1, out: '' });
  });
});

describe('a file that was cut off', () => {
  it.each([
    ['in the middle of a line', TWO_LINES.slice(0, 40)],
    ['in the middle of a letter', Buffer.from(TWO_LINES).subarray(0, 45)],
  ])('%s: what is whole counts, and the rest is said', async (where, content) => {
    const run = await copy.run(['hot', file('cut.raw', content), '--json'], { cwd });
    expect([where, run.code, run.err]).toEqual([where, 0, '']);
    expect(JSON.parse(run.out)).toMatchObject({
      total: { samples: 5 },
      lost: { lines: 1, examples: [expect.stringContaining('line 2: no count at the end')] },
    });
  });
});

function manifest(path: string): string {
  return readFileSync(join(path, 'recording.json'), 'utf8');
}

describe('a recording that cannot be read', () => {
  it('is of a newer schema', async () => {
    const path = await writePacedRecording(cwd, 'newer');
    writeFileSync(
      join(path, 'recording.json'),
      manifest(path).replace('/recording/v1', '/recording/v2').replace('"0.1.0"', '"9.0.0"'),
    );
    expect(errorOf(await copy.run(['buckets', 'recordings/newer'], { cwd }))).toEqual({
      code: 1,
      out: '',
      what: `${path}/recording.json has schema sim-profiler/recording/v2, written by sim-profiler 9.0.0; this one reads up to sim-profiler/recording/v1.`,
      why: 'The recording was made by a newer sim-profiler than this one.',
      fix: 'npm install -g sim-profiler@latest',
    });
  });

  it('is cut off, and its samples are still there to be read', async () => {
    const path = await writePacedRecording(cwd, 'cut');
    writeFileSync(join(path, 'recording.json'), manifest(path).slice(0, 900));
    const error = errorOf(await copy.run(['buckets', 'recordings/cut'], { cwd }));
    expect(error).toMatchObject({
      code: 1,
      what: `${path}/recording.json cannot be read: its text is no JSON, or ends early.`,
      fix: `profiler hot ${path}/slices/000.raw`,
    });
    expect((await copy.run(error.fix.split(' ').slice(1), { cwd })).code).toBe(0);
  });

  it('lacks one of its slices: the others count, and the loss is said', async () => {
    const path = await writePacedRecording(cwd, 'whole');
    const [slice] = (JSON.parse(manifest(path)) as { slices: [object] }).slices;
    const second = { ...slice, file: 'slices/001.raw', startNs: '3000000000', endNs: '5000000000' };
    writeFileSync(
      join(path, 'recording.json'),
      JSON.stringify({ ...(JSON.parse(manifest(path)) as object), slices: [slice, second] }),
    );
    const run = await copy.run(['buckets', 'recordings/whole', '--json'], { cwd });
    expect([run.code, run.err]).toEqual([0, '']);
    expect((JSON.parse(run.out) as { findings: unknown[] }).findings).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        id: 'slice-unreadable',
        what: 'Slice slices/001.raw (2.0 s) could not be read: ENOENT.',
      }),
    );
  });

  it('lacks its only slice', async () => {
    const path = await writePacedRecording(cwd, 'hollow');
    rmSync(join(path, 'slices/000.raw'));
    expect(errorOf(await copy.run(['buckets', 'recordings/hollow'], { cwd }))).toMatchObject({
      code: 1,
      what: 'No samples of recordings/hollow could be read.',
      why: 'Slice slices/000.raw (2.0 s) could not be read: ENOENT.',
      fix: 'ls -l recordings/hollow/slices',
    });
  });

  itWhere(AS_NOBODY, 'needs root, and node where another user can run it')(
    'belongs to another user',
    async () => {
      const path = await writePacedRecording(cwd, 'private');
      const run = await copy.run(['buckets', path], { cwd: '/', user: NOBODY });
      expect(errorOf(run)).toMatchObject({ code: 1, fix: `sudo profiler buckets ${path}` });
    },
  );
});

describe('a reader that has seen enough', () => {
  /** More than fits into a pipe, so that the writer is stopped in the middle. */
  const LONG = Array.from({ length: 20_000 }, (_, at) => `run (a.py:1);f${at} (a.py:${at}) 1\n`).join('');

  it.each([
    ['hot', 'long.raw', '--folded'],
    ['hot', 'long.raw', '--top', '20000'],
    ['hot', 'long.raw', '--tsv'],
    ['buckets', 'long.raw', '--json'],
    ['threads', 'long.raw'],
    ['export', 'long.raw', '--to', 'folded', '-o', '-'],
    ['export', 'long.raw', '--to', 'json', '-o', '-'],
    ['rules', 'list'],
    ['rules', 'list', '--json'],
    ['recordings'],
  ])('is no error: profiler %s %s %s | head -1', async (...args) => {
    file('long.raw', LONG);
    await writePacedRecording(cwd, 'one');
    const through = ['bash', '-c', '"$@" | head -1; exit "${PIPESTATUS[0]}"', 'bash'];
    const run = await copy.run(args, { cwd, through });
    expect([run.code, run.err]).toEqual([0, '']);
    expect(run.out.split('\n')).toHaveLength(1);
  });

  itWhere(process.platform === 'linux', 'needs /dev/full')('is not a disk that is full', async () => {
    for (const args of [
      ['hot', 'ok.raw'],
      ['export', 'ok.raw', '--to', 'folded', '-o', '-'],
    ]) {
      expect(
        errorOf(await copy.run(args, { cwd, through: ['sh', '-c', 'exec "$@" > /dev/full', 'sh'] })),
      ).toMatchObject({
        code: 1,
        what: 'Standard output cannot be written (ENOSPC).',
        why: 'The disk that it goes to is full.',
        fix: 'df -h',
      });
    }
    symlinkSync('/dev/full', join(cwd, 'full'));
    expect(
      errorOf(await copy.run(['export', 'ok.raw', '--to', 'json', '-o', 'full'], { cwd })),
    ).toMatchObject({
      code: 1,
      what: 'full could not be written (ENOSPC).',
      why: 'The disk is full.',
    });
  });
});

describe('wrong usage ends with exit code 2', () => {
  it.each([
    [['hto'], "Unknown command 'hto'. Did you mean hot?", 'profiler --help'],
    [['hot', '--nope'], "Unknown option '--nope'. Did you mean --top?", 'profiler hot --help'],
    [
      ['hot', 'ok.raw', '--top', 'many'],
      "Option '--top <n>' argument 'many' is invalid. It must be a whole number from 1.",
      'profiler hot --help',
    ],
    [
      ['attach', '--pid', 'me'],
      "Option '--pid <pid>' argument 'me' is invalid. It must be a whole number from 1.",
      'profiler attach --help',
    ],
    [
      ['attach', '--pid', '1', '-d', '0'],
      "Option '-d, --duration <seconds>' argument '0' is invalid. It must be a number of seconds from 0.5 to 86400.",
      'profiler attach --help',
    ],
    [
      ['hot', 'ok.raw', '--by', 'nonsense'],
      "Option '--by <grouping>' argument 'nonsense' is invalid. Allowed choices are stack, leaf, function, line, file, module, caller.",
      'profiler hot --help',
    ],
  ])('%j', async (args, what, fix) => {
    expect(await copy.run(args, { cwd })).toEqual({
      code: 2,
      out: '',
      err: `profiler: ${what}\n  -> ${fix}`,
    });
  });

  it.each([
    [['attach'], 'No target was named.', 'profiler attach --pid PID'],
    [
      ['attach', '--pid', '1', '--match', 'x'],
      'Both --pid and --match were given.',
      'profiler attach --pid PID',
    ],
    [
      ['attach', '--pid', '1', '--container', 'x'],
      'Both --pid and --container were given.',
      'profiler attach --pid PID',
    ],
    [
      ['doctor', '--container', 'x', '--service', 'y'],
      'Both --container and --service were given.',
      'profiler doctor --container NAME',
    ],
    [
      ['attach', '--compose', 'compose.yaml'],
      '--compose, --project and --index say which service is meant, and --service is missing.',
      'profiler attach --compose compose.yaml --service NAME',
    ],
    [
      ['attach', '--via', 'override', '--pid', '1'],
      '--via override needs a service.',
      'profiler attach --service NAME --via override',
    ],
    [
      ['attach', '--match', '('],
      '--match ( is not a regular expression.',
      String.raw`profiler attach --match '\('`,
    ],
    [['hot', 'ok.raw', '--thread', '/(/'], '--thread /(/ is not a regular expression.', 'profiler threads'],
    [['hot', 'ok.raw', '--thread', 'nobody'], 'No thread is called nobody.', 'profiler threads'],
    [['hot', 'ok.raw', '--format', 'nope'], 'There is no format "nope" to read.', `--format ${NAMES}`],
  ])('%j, with the reason', async (args, what, fix) => {
    expect(errorOf(await copy.run(args, { cwd }))).toMatchObject({ code: 2, out: '', what, fix });
  });

  it('for a rule pack, with the line that is wrong', async () => {
    file(
      'pack.yaml',
      'id: mine\ntitle: Mine\ndated: 2026-11-29\nrules:\n  - id: one\n    bucket: nonsense\n    why: x\n    match:\n      name: f\n',
    );
    for (const args of [
      ['hot', 'ok.raw', '--rules', 'pack.yaml'],
      ['attach', '--pid', `${process.pid}`, '--rules', 'pack.yaml'],
    ]) {
      const error = errorOf(await copy.run(args, { cwd }));
      expect(error).toMatchObject({ code: 2, fix: 'profiler rules list --json' });
      expect(error.what).toMatch(/^pack\.yaml:6: rules\[0\]\.bucket must be one of physics, /);
    }
  });
});

onlyWithAll(it)('a folded file of 2 GB is read in bounded memory', async () => {
  const folder = join(ROOT, '.cache');
  const path = join(folder, 'two-gigabytes.folded');
  const block = Buffer.from(SLICE.repeat(4096));
  const blocks = Math.ceil(2 ** 31 / block.length);
  const tell = 'process.on("exit", () => process.stderr.write(`${process.resourceUsage().maxRSS}`))';
  try {
    const output = createWriteStream(path);
    for (let at = 0; at < blocks; at += 1) if (!output.write(block)) await once(output, 'drain');
    output.end();
    await once(output, 'close');
    const run = await execa(
      process.execPath,
      ['--import', `data:text/javascript,${tell}`, copy.bin, 'hot', path, '--json'],
      { reject: false },
    );
    expect(run.exitCode).toBe(0);
    expect((JSON.parse(run.stdout) as { total: object }).total).toMatchObject({
      samples: 1000 * 4096 * blocks,
      stacks: 3,
    });
    // In KiB.
    expect(Number(run.stderr)).toBeLessThan(300 * 1024);
  } finally {
    rmSync(path, { force: true });
  }
});
