import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { BIN, PYSPY, ROOT, SIM_PYTHON, profiler, rover } from './demo-simulation.js';

interface Answer {
  readonly findings: readonly { readonly id: string; readonly what: string; readonly fix?: string }[];
}
interface Kept {
  readonly printed?: readonly {
    readonly source: string;
    readonly fromByte: number;
    readonly toByte: number;
    readonly text: string;
  }[];
}

const SIM = [SIM_PYTHON, '-m', 'rover_sim', '--headless', '--no-truth', '--profile', '--hz', '200'];
const BOTH = 'The program printed 2 tables of its own: roqsim: start-up, roqsim: hooks of plugins.';

const parse = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const scratch = (): string => mkdtempSync(join(tmpdir(), 'profiler-tables-'));
const textAt = (file: string, from: number, to: number): string =>
  readFileSync(file).subarray(from, to).toString('utf8');

/** `profiler run` with its standard error in a file or a pipe; what it wrote there. */
async function run(
  args: readonly string[],
  cwd: string,
  log?: string,
): Promise<{ readonly code: number | null; readonly err: string }> {
  const fd = log === undefined ? undefined : openSync(log, 'a');
  const child = spawn(process.execPath, [BIN, 'run', ...args], {
    cwd,
    env: { ...process.env, PROFILER_PY_SPY: PYSPY, PYTHONPATH: join(ROOT, 'compose/sim') },
    stdio: ['ignore', 'ignore', fd ?? 'pipe'],
  });
  let err = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  if (fd !== undefined) closeSync(fd);
  return { code, err };
}

describeWhere(existsSync(SIM_PYTHON) && existsSync(PYSPY), 'no .cache/sim-venv: run scripts/test')(
  'tables that a program prints while it is recorded',
  (test) => {
    test('run reads them in the file that standard error goes to, from where it began', async () => {
      const cwd = scratch();
      const log = join(cwd, 'err.log');
      // What an earlier run left there is not of this one.
      writeFileSync(log, 'per-plugin hook timing (avg \u00B5s/call):\n  old post_step 1.00 \u00B5s\n');
      const before = readFileSync(log).length;
      const { code } = await run(['-o', 'r', '--json', 'out.json', '--', ...SIM, '--seconds', '4'], cwd, log);
      expect(code).toBe(0);
      const { printed = [] } = parse<Kept>(join(cwd, 'r/recording.json'));
      expect(printed.map(({ source }) => source)).toEqual(['standard error']);
      for (const { fromByte, toByte, text } of printed) {
        expect(fromByte).toBeGreaterThanOrEqual(before);
        expect(textAt(log, fromByte, toByte)).toBe(text);
        expect(text).not.toContain('old');
      }
      const { findings } = parse<Answer>(join(cwd, 'out.json'));
      expect(findings.find(({ id }) => id === 'program-printed-tables')).toMatchObject({
        what: BOTH,
        fix: 'profiler tables r',
      });
      const { code: read, out } = await profiler(['tables', 'r', '--json'], { cwd });
      expect(read).toBe(0);
      expect(JSON.parse(out).tables.map(({ kind }: { kind: string }) => kind)).toEqual([
        'roqsim-load',
        'roqsim-hooks',
      ]);
    });

    onlyWithAll(test)('run --tables reads them on their way through, which changes none of it', async () => {
      const cwd = scratch();
      const { code, err } = await run(['--tables', '-o', 'r', '--', ...SIM, '--seconds', '4'], cwd);
      expect(code).toBe(0);
      const { printed = [] } = parse<Kept>(join(cwd, 'r/recording.json'));
      for (const { text } of printed) for (const line of text.split('\n')) expect(err).toContain(line);
      expect(printed.map(({ source }) => source)).toEqual(['standard error']);
      expect(err.replaceAll(/\s+/g, ' ')).toContain(BOTH);
      const pipe = scratch();
      await run(['-o', 'r', '--', ...SIM, '--seconds', '4'], pipe);
      expect(parse<Kept>(join(pipe, 'r/recording.json')).printed).toBeUndefined();
    });

    test('attach --log keeps those that are there at its end', async () => {
      const sim = await rover(['--hz', '200']);
      try {
        const log = join(sim.folder, 'sim.log');
        writeFileSync(log, 'load-phase timing (totals, ms):\n  compile 10.0\n  setup_total 12.0\n');
        const args = ['attach', '--pid', `${sim.pid}`, '-d', '1', '--no-baseline', '-o', 'r'];
        const done = await profiler([...args, '--log', 'sim.log', '--json'], { cwd: sim.folder });
        expect({ code: done.code, err: done.err }).toMatchObject({ code: 0 });
        const { findings } = JSON.parse(done.out) as Answer;
        expect(findings.map(({ id }) => id)).toContain('program-printed-tables');
        const { printed } = parse<Kept>(join(sim.folder, 'r/recording.json'));
        expect(printed).toEqual([
          {
            source: 'sim.log',
            fromByte: 0,
            toByte: readFileSync(log).length,
            text: readFileSync(log, 'utf8'),
          },
        ]);
        const gone = await profiler([...args, '--log', 'gone.log'], { cwd: sim.folder });
        expect([gone.code, gone.err.split('\n')[0]]).toEqual([
          1,
          'profiler: The log gone.log could not be read (ENOENT).',
        ]);
      } finally {
        await sim.stop();
      }
    });
  },
);
