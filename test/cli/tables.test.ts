import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MUJOCO_TIMER_SNIPPET } from '../../src/simulator/index.js';
import { emptyFolder, writePacedRecording } from './recording-folder.js';
import { FIXTURES, runJson, runProfiler } from './run-profiler.js';

const SIMULATOR = join(FIXTURES, 'simulator');
const HOOKS = [
  'per-plugin hook timing (avg \u00B5s/call):',
  '  Lidar                    post_step      300.00 \u00B5s',
  '  Bridge                   post_step      120.50 \u00B5s',
  '  Arm                      pre_step        79.50 \u00B5s',
  '',
].join('\n');

/** A stand-in: it checks what it is asked and copies what the real program would write. */
function standIn(cwd: string, script: string): Readonly<Record<string, string>> {
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'nsys'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, 'nsys'), 0o755);
  return { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
}

describe('profiler tables', () => {
  it('prints the snippet for MuJoCo as it is, and needs no file for it', async () => {
    expect(await runProfiler(['tables', '--snippet', 'mujoco'])).toEqual({
      code: 0,
      out: MUJOCO_TIMER_SNIPPET,
      err: '',
    });
    expect(await runProfiler(['tables', '--snippet', 'gazebo'])).toMatchObject({ code: 2, out: '' });
  });

  it('says what is missing without a file, and what it read where there is no table', async () => {
    const alone = await runProfiler(['tables']);
    expect([alone.code, alone.err.split('\n')[0]]).toEqual([2, 'profiler: A file to read is missing.']);
    const none = await runProfiler(['tables', '-'], { input: 'hello\n' });
    expect([none.code, none.err.split('\n')[0]]).toEqual([
      1,
      'profiler: Standard input holds no table that is known.',
    ]);
  });

  it('prints the dearest rows, and what it leaves out with its sum', async () => {
    const { code, out } = await runProfiler(['tables', '-', '--top', '1', '--timestep', '0.002'], {
      input: HOOKS,
    });
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, 6)).toEqual([
      '  roqsim: hooks of plugins · standard input, lines 1–4',
      "  500 µs in all for each step, 25.0 % of the step's budget of 2.00 ms, 250 ms",
      '  for each simulated second.',
      '  row    of         per step   share  budget',
      '  Lidar  post_step    300 µs  60.0 %  15.0 %',
      '  … 2 more rows, 200 µs of 500 µs together (--top 3 shows all).',
    ]);
  });

  it('leaves nothing out of JSON and CSV', async () => {
    const { tables } = await runJson(['tables', '-', '--top', '1'], { input: HOOKS });
    expect(tables[0].rows).toHaveLength(3);
    const { out } = await runProfiler(['tables', '-', '--top', '1', '--csv'], { input: HOOKS });
    expect(out.trimEnd().split('\r\n')).toHaveLength(4);
  });

  it('names the file of each table, and which of several cannot be read', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'a.log'), HOOKS);
    writeFileSync(join(cwd, 'b.log'), `first\n${HOOKS}`);
    const { source, tables } = await runJson(['tables', 'a.log', 'b.log'], { cwd });
    expect(source).toEqual({ path: 'a.log b.log' });
    expect(tables.map((table: { source: string; lines: object }) => [table.source, table.lines])).toEqual([
      ['a.log', { from: 1, to: 4 }],
      ['b.log', { from: 2, to: 5 }],
    ]);
    const { code, err } = await runProfiler(['tables', 'a.log', 'c.log'], { cwd });
    expect([code, err]).toEqual([
      1,
      'profiler: c.log could not be read (ENOENT).\n  There is no such file.\n  -> ls -l c.log\n',
    ]);
  });

  it('unpacks a trace that gzip packed, and says of one that was cut', async () => {
    const cwd = emptyFolder();
    const packed = gzipSync(readFileSync(join(SIMULATOR, 'raccoon-profile.M000Setup.json')));
    writeFileSync(join(cwd, 'trace.json.gz'), packed);
    writeFileSync(join(cwd, 'cut.json.gz'), packed.subarray(0, -20));
    const { tables } = await runJson(['tables', 'trace.json.gz'], { cwd });
    expect(tables[0].title).toBe('raccoon: where the time goes');
    const cut = await runProfiler(['tables', 'cut.json.gz'], { cwd });
    expect([cut.code, cut.err.split('\n')[0]]).toEqual([
      1,
      'profiler: cut.json.gz is packed by gzip and cannot be unpacked (Z_BUF_ERROR).',
    ]);
  });

  it('reads no more than it can hold, and says what to do instead', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'huge.log'), HOOKS);
    writeFileSync(join(cwd, 'huge.sqlite'), 'SQLite format 3\0');
    for (const name of ['huge.log', 'huge.sqlite']) truncateSync(join(cwd, name), 301e6);
    const log = await runProfiler(['tables', 'huge.log'], { cwd });
    expect([log.code, log.err]).toEqual([
      1,
      `profiler: huge.log holds more than 300 MB.
  All of it is held in memory, since a table may begin anywhere.
  -> tail -n 100000 huge.log | profiler tables -
`,
    ]);
    const database = await runProfiler(['tables', 'huge.sqlite'], { cwd });
    expect(database.err.split('\n')[2]).toBe(
      '  -> nsys stats --format=csv --output=- huge.sqlite | profiler tables -',
    );
  });

  it('never reads binary files as text', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'core'), `\u007fELF\0\0\0${HOOKS}`);
    const { code, out, err } = await runProfiler(['tables', 'core'], { cwd });
    expect([code, out, err.split('\n')[0]]).toEqual([
      1,
      '',
      'profiler: core is neither a text nor a SQLite file.',
    ]);
  });
});

describe('missions of raccoon', () => {
  const files = ['M010Drive-2', 'M000Setup', 'M010Drive'].map((name) => `raccoon-profile.${name}.json`);

  it('of one run are one trace, with the standstill between them', async () => {
    const { tables } = await runJson(['tables', ...files], { cwd: SIMULATOR });
    expect(
      tables.map(({ source, title }: { source: string; title: string }) => [source, title]).slice(0, 2),
    ).toEqual([
      ['raccoon-profile.*.json', 'raccoon: missions'],
      ['raccoon-profile.*.json', 'raccoon: where the time goes'],
    ]);
    const gaps = tables.find(({ title }: { title: string }) => title === 'raccoon: gaps between steps');
    expect(gaps.rows[0]).toMatchObject({ name: 'calibrate() -> drive_forward(25.0)', totalUs: 320_000 });
  });

  it('of two runs are two, and what is beside them is read as ever', async () => {
    const cwd = emptyFolder();
    for (const run of ['one', 'two']) {
      mkdirSync(join(cwd, run));
      for (const file of files.slice(0, 2))
        writeFileSync(join(cwd, run, file), readFileSync(join(SIMULATOR, file)));
    }
    writeFileSync(join(cwd, 'sim.log'), HOOKS);
    const named = ['one', 'two'].flatMap((run) => files.slice(0, 2).map((file) => `${run}/${file}`));
    const { tables } = await runJson(['tables', 'sim.log', ...named], { cwd });
    const sources = new Set(tables.map(({ source }: { source: string }) => source));
    expect([...sources]).toEqual(['one/raccoon-profile.*.json', 'two/raccoon-profile.*.json', 'sim.log']);
    expect(tables.filter(({ title }: { title: string }) => title === 'raccoon: missions')).toHaveLength(2);
  });
});

describe('captures of nsys', () => {
  const file = join(SIMULATOR, 'nsys/nsys-2024.sqlite');

  it('answer who waits for whom, without the warm-up', async () => {
    const { tables } = await runJson(['tables', file]);
    expect(tables[0].findings.map(({ id }: { id: string }) => id)).toEqual([
      'gpu-kernel-bound',
      'host-waits-for-gpu',
      'step-range-host-only',
      'warm-up-apart',
      'first-call-stands-out',
      'nsys-open-events',
    ]);
    const { out } = await runProfiler(['tables', file], { env: { COLUMNS: '200' } });
    expect(out).toContain('Note: The GPU is busy 98.0 % of 12.7 ms');
    expect(out).toContain('Note: The host waits 11.6 ms for the GPU, 91.9 % of it');
    expect(out).toContain('Note: 109 ms before that are warm-up');
  });

  it.each(['stats.csv', 'stats-2022.txt', 'stats-2024.txt'])(
    'printed by nsys stats as %s too',
    async (name) => {
      const { tables } = await runJson(['tables', join(SIMULATOR, 'nsys', name)]);
      const ids = tables.flatMap(({ findings }: { findings: { id: string }[] }) =>
        findings.map(({ id }) => id),
      );
      expect(ids).toContain('host-waits-for-gpu');
    },
  );

  it('that are broken or of another program are said to be', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'cut.sqlite'), readFileSync(file).subarray(0, 5000));
    const { code, err } = await runProfiler(['tables', 'cut.sqlite'], { cwd });
    expect([code, err.split('\n')[0]]).toEqual([
      1,
      'profiler: The SQLite export cannot be read (database disk image is malformed).',
    ]);
  });

  it('as reports are exported by nsys first, into a folder that goes again', async () => {
    const cwd = emptyFolder();
    const env = standIn(
      cwd,
      `printf '%s\\n' "$@" > "${cwd}/asked"\nfor a; do case $a in --output=*) cp "${file}" "\${a#--output=}";; esac; done`,
    );
    writeFileSync(join(cwd, 'a b.nsys-rep'), 'anything');
    const { tables } = await runJson(['tables', 'a b.nsys-rep'], { cwd, env });
    expect(tables[0].title).toBe('nsys: kernels on the GPU (NVIDIA Made-up GPU)');
    const asked = readFileSync(join(cwd, 'asked'), 'utf8').trimEnd().split('\n');
    expect(asked.map((one) => one.replace(/=\/.*\/sim-profiler-nsys-\w+\//, '=TEMP/'))).toEqual([
      'export',
      '--type=sqlite',
      '--force-overwrite=true',
      '--output=TEMP/a b.sqlite',
      join(cwd, 'a b.nsys-rep'),
    ]);
    const made = asked.find((one) => one.startsWith('--output='))?.slice('--output='.length) ?? '';
    expect(existsSync(join(made, '..'))).toBe(false);
    expect(readdirSync(cwd).toSorted()).toEqual(['a b.nsys-rep', 'asked', 'bin']);
  });

  it('as reports without nsys name the line to type, and with a failing one its last words', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'a.nsys-rep'), 'anything');
    mkdirSync(join(cwd, 'none'));
    const without = await runProfiler(['tables', 'a.nsys-rep'], { cwd, env: { PATH: join(cwd, 'none') } });
    expect([without.code, without.err]).toEqual([
      1,
      `profiler: a.nsys-rep is a report of nsys, which only nsys itself can read.
  There is no nsys on PATH. Where there is one, such as on the machine of the GPU, it exports what can be read here.
  -> nsys export --type=sqlite --force-overwrite=true --output=a.sqlite a.nsys-rep
`,
    ]);
    const env = standIn(cwd, 'echo "Importer error: version" >&2; exit 3');
    const failing = await runProfiler(['tables', 'a.nsys-rep'], { cwd, env });
    expect([failing.code, failing.err.split('\n')[0]]).toEqual([
      1,
      'profiler: nsys did not export a.nsys-rep: it ended with exit code 3: Importer error: version.',
    ]);
    const gone = await runProfiler(['tables', 'gone.nsys-rep'], { cwd, env });
    expect(gone.err.split('\n')[0]).toBe('profiler: gone.nsys-rep could not be read (ENOENT).');
  });
});

describe('tables --against', () => {
  it('holds two runs against each other', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'old.log'), HOOKS);
    writeFileSync(join(cwd, 'new.log'), HOOKS.replace('300.00', '250.00'));
    const { code, out } = await runProfiler(['tables', 'new.log', '--against', 'old.log', '--top', '1'], {
      cwd,
    });
    expect([code, ...out.split('\n').slice(0, 5)]).toEqual([
      0,
      '  roqsim: hooks of plugins · new.log, lines 1–4, against old.log, lines 1–4',
      '  500 µs → 450 µs in all for each step (-10.0 %).',
      '  row    of         per   before     now    change',
      '  Lidar  post_step  step  300 µs  250 µs  -50.0 µs  -16.7 %',
      '  … 2 more rows, each changed by 0 µs at most (--top 3 shows all).',
    ]);
    const { kind, against } = await runJson(['tables', 'new.log', '--against', 'old.log'], { cwd });
    expect([kind, against]).toEqual(['tables-comparison', { path: 'old.log' }]);
  });

  it('refuses tables of different kinds', async () => {
    const { code, err } = await runProfiler(
      ['tables', '-', '--against', join(SIMULATOR, 'mujoco-4.0/timer-step.json')],
      { input: HOOKS },
    );
    expect([code, err.split('\n')[0]]).toEqual([
      1,
      'profiler: No two tables are of one kind: roqsim-hooks roqsim: hooks of plugins against mujoco-timers MuJoCo timers.',
    ]);
  });
});

describe('tables of a recording', () => {
  const piece = { source: 'logs/sim.log', fromByte: 1024, toByte: 1300, text: HOOKS };

  it('are read from it, and named with their place in the log', async () => {
    const cwd = emptyFolder();
    await writePacedRecording(cwd, 'paced', { printed: [piece] });
    const { out } = await runProfiler(['tables', 'paced'], { cwd });
    expect(out.split('\n')[0]).toBe('  roqsim: hooks of plugins · paced: logs/sim.log, bytes 1,024–1,300');
    const { tables } = await runJson(['tables', 'recordings/paced/recording.json'], { cwd });
    expect(tables[0].rows).toHaveLength(3);
  });

  it('that has none, and of a folder that is none, say so', async () => {
    const cwd = emptyFolder();
    await writePacedRecording(cwd, 'paced');
    const none = await runProfiler(['tables', 'paced'], { cwd });
    expect([none.code, none.err]).toEqual([
      1,
      `profiler: The recording paced holds no table that its program printed.
  No log was named when it was made, or none of it was a table that is known.
  -> profiler attach --pid PID --log FILE
`,
    ]);
    const folder = await runProfiler(['tables', 'recordings'], { cwd });
    expect([folder.code, folder.err.split('\n')[0]]).toEqual([
      1,
      'profiler: recordings could not be read (EISDIR).',
    ]);
  });

  it('are part of its report, with those of files', async () => {
    const cwd = emptyFolder();
    await writePacedRecording(cwd, 'paced', { printed: [piece] });
    writeFileSync(join(cwd, 'later.log'), HOOKS.replace('300.00', '250.00'));
    const { out } = await runProfiler(['report', '--md', '--tables', 'later.log'], { cwd });
    expect(out.split('\n').filter((line) => line.startsWith('**roqsim'))).toEqual([
      '**roqsim: hooks of plugins** (logs/sim.log, bytes 1,024–1,300): 500 µs in all for each step.',
      '**roqsim: hooks of plugins** (later.log, lines 1–4): 450 µs in all for each step.',
    ]);
    const page = await runProfiler(['report', '-o', '-'], { cwd });
    expect(page.out).toContain('What the program says of itself');
    writeFileSync(join(cwd, 'empty.log'), 'nothing\n');
    const empty = await runProfiler(['report', '--md', '--tables', 'empty.log'], { cwd });
    expect([empty.code, empty.err.split('\n')[0]]).toEqual([
      1,
      'profiler: empty.log holds no table that is known.',
    ]);
  });
});
