import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { describeWhere } from '../only-where.js';
import { HAS_PTY, NO_PTY, inTerminal } from '../terminal/pty.js';
import { writePacedRecording } from './recording-folder.js';
import { FIXTURES, runProfiler } from './run-profiler.js';

const BIN = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url));
const BROWSER = fileURLToPath(new URL('targets/browser.sh', import.meta.url));
const TURTLE = join(FIXTURES, 'rules/turtle-idle.raw');
const HAS_SCRIPT = existsSync('/usr/bin/script');

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'profiler-view-'));
});

interface Running {
  readonly out: () => string;
  readonly err: () => string;
  readonly type: (text: string) => void;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly end: Promise<number | null>;
  /** The address, once it was printed. */
  readonly url: () => Promise<string>;
}

/** Runs `view` as a user would who has no display and is not logged in over SSH, unless `env` says so; `terminal`: in one of its own. */
function view(
  args: readonly string[],
  { env = {}, terminal = false }: { env?: Record<string, string>; terminal?: boolean } = {},
): Running {
  const line = [process.execPath, BIN, 'view', ...args];
  const quoted = line.map((word) => `'${word}'`).join(' ');
  const [program = '', ...rest] = terminal ? ['script', '-qec', `exec ${quoted}`, '/dev/null'] : line;
  const { PATH = '' } = process.env;
  const child = spawn(program, rest, {
    cwd: home,
    env: { PATH, HOME: home, SHELL: '/bin/sh', ...env },
    stdio: 'pipe',
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const end = new Promise<number | null>((resolve) => child.on('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await end;
  });
  return {
    out: () => out,
    err: () => err,
    type: (text) => void child.stdin.write(text),
    signal: (signal) => void child.kill(signal),
    end,
    url: () => vi.waitUntil(() => /http:\/\/127\.0\.0\.1:\d+\/[^\s"]+/.exec(out)?.[0], 60_000),
  };
}

const profileOf = (url: string): string => url.replace(/#.*/, 'profile.speedscope.json');
const kept = (): string => join(home, '.cache/sim-profiler/view/turtle-idle.raw.speedscope.json');

describe('view without display and terminal', () => {
  it('prints the path of what it wrote for the user alone, and how to open it', async () => {
    const run = view([TURTLE]);
    expect(await run.end).toBe(0);
    expect(run.out()).toBe(`${kept()}\n`);
    expect(run.err()).toContain('There is no display to open a browser on, and no terminal');
    expect(run.err()).toContain('MainThread (physics), 796 samples');
    expect(run.err()).toContain(`-> npx speedscope ${kept()}`);
    expect(run.err()).toContain(`-> profiler view --no-open ${TURTLE}`);
    const file = JSON.parse(readFileSync(kept(), 'utf8'));
    expect(file.exporter).toMatch(/^sim-profiler@\d/);
    expect(file.profiles[0]).toMatchObject({ name: 'MainThread (physics)', endValue: 796 });
    expect(statSync(kept()).mode & 0o777).toBe(0o600);
    expect(statSync(join(kept(), '..')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(kept(), '..'))).toEqual(['turtle-idle.raw.speedscope.json']);
  });

  it('keeps in the line to type what was asked for', async () => {
    const timed = join(FIXTURES, 'cpuprofile/ws-bridge.cpuprofile');
    const cut = view([timed, '--to', '0.9', '--from', '0.25', '--thread', '/^/', '--once']);
    expect([await cut.end, cut.err()]).toEqual([
      0,
      expect.stringContaining(
        `-> profiler view --no-open --from 0.25 --to 0.9 --thread '/^/' --once ${timed}  (`,
      ),
    ]);
    const counted = view([TURTLE, '--rate', '100', '--format', 'pyspy-raw']);
    expect([await counted.end, counted.err()]).toEqual([
      0,
      expect.stringContaining(`-> profiler view --no-open --format pyspy-raw --rate 100 ${TURTLE}  (`),
    ]);
  });

  it('does the same where only SSH has a display to forward', async () => {
    const run = view([TURTLE], { env: { SSH_CONNECTION: '10.0.0.9 5 10.0.0.5 22', DISPLAY: ':10' } });
    expect([await run.end, run.out()]).toEqual([0, `${kept()}\n`]);
  });

  it('keeps it where XDG_CACHE_HOME says, and replaces an older one', async () => {
    const cache = join(home, 'elsewhere');
    const folder = join(cache, 'sim-profiler/view');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'turtle-idle.raw.speedscope.json'), 'old');
    const run = view([TURTLE, '--json'], { env: { XDG_CACHE_HOME: cache } });
    expect(await run.end).toBe(0);
    const path = join(folder, 'turtle-idle.raw.speedscope.json');
    expect(JSON.parse(run.out())).toMatchObject({
      schema: 'sim-profiler/v1',
      kind: 'view',
      path,
      sources: [{ path: TURTLE, format: 'pyspy-raw' }],
      view: 'left-heavy',
      profiles: [{ name: 'MainThread (physics)', unit: 'samples', total: 796 }],
      findings: [],
    });
    expect(JSON.parse(readFileSync(path, 'utf8')).profiles).toHaveLength(1);
  });

  it('says what stands in its way', async () => {
    writeFileSync(join(home, '.cache'), 'no folder');
    const run = view([TURTLE]);
    expect([await run.end, run.out()]).toEqual([1, '']);
    expect(run.err()).toContain('could not be written (ENOTDIR)');
    expect(run.err()).toContain('-> profiler view -o FILE');
  });

  it('takes no part of a path and nothing of a terminal from a hostile name', async () => {
    const label = '../../\u001B[31m\u202Eevil';
    await writePacedRecording(home, 'r', { label });
    const run = view([]);
    expect(await run.end).toBe(0);
    const path = join(home, '.cache/sim-profiler/view/31m_evil.speedscope.json');
    expect(run.out()).toBe(`${path}\n`);
    // oxlint-disable-next-line no-control-regex -- what a terminal would obey
    expect(run.err()).not.toMatch(/[\u001B\u202E]/);
    expect(JSON.parse(readFileSync(path, 'utf8')).name).toBe(label);
  });
});

describe('view -o', () => {
  it('writes the file and does nothing else', async () => {
    const run = view(['-o', 'x.json', TURTLE], { env: { DISPLAY: ':0', BROWSER: '/bin/false' } });
    expect([await run.end, run.out()]).toEqual([0, '']);
    expect(run.err()).toBe('Wrote MainThread (physics), 796 samples, to x.json.\n');
    expect(JSON.parse(readFileSync(join(home, 'x.json'), 'utf8')).profiles[0].endValue).toBe(796);
    expect(existsSync(join(home, '.cache'))).toBe(false);
  });

  it.each(['1e-300', '0.0009', '1e300', '0', '-1', 'x', ''])('refuses a rate of %j', async (rate) => {
    const run = await runProfiler(['view', TURTLE, '--rate', rate, '-o', 'q.json'], { cwd: home });
    expect([run.code, run.out]).toEqual([2, '']);
    expect(run.err).toContain('It must be a number from 0.001 to 1000000000.');
    expect(existsSync(join(home, 'q.json'))).toBe(false);
  });

  it.each([
    ['0.001', 796_000],
    ['1000000000', 7.96e-7],
  ])('takes a rate of %s', async (rate, seconds) => {
    const { code, out } = await runProfiler(['view', TURTLE, '--rate', rate, '-o', '-'], { cwd: home });
    expect([code, JSON.parse(out).profiles[0]]).toMatchObject([0, { unit: 'seconds' }]);
    expect(JSON.parse(out).profiles[0].endValue / seconds).toBeCloseTo(1);
  });

  it('takes the same file twice, but standard input only once', async () => {
    const twice = view(['-o', '-', TURTLE, TURTLE]);
    expect(await twice.end).toBe(0);
    expect(JSON.parse(twice.out()).profiles).toHaveLength(2);
    const args = ['view', '-o', 'q.json', '-', TURTLE, '-'];
    expect(await runProfiler(args, { cwd: home, input: 'main;step 1\n' })).toEqual({
      code: 2,
      out: '',
      err: `profiler: Standard input is named more than once.\n  It can be read only once.\n  -> profiler view - ${TURTLE}\n`,
    });
    expect(existsSync(join(home, 'q.json'))).toBe(false);
  });

  it('is standard output with -', async () => {
    const run = view(['-o', '-', TURTLE]);
    expect([await run.end, run.err()]).toEqual([0, '']);
    expect(JSON.parse(run.out()).profiles).toHaveLength(1);
  });
});

describe('view --no-open', () => {
  it('serves until Ctrl-C, as often as it is asked, and that is no error', async () => {
    const run = view(['--no-open', TURTLE]);
    const url = await run.url();
    expect(run.out()).toBe(`${url}\n`);
    expect(url).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/#profileURL=profile\.speedscope\.json&view=left-heavy$/,
    );
    for (const _ of [1, 2])
      expect(await (await fetch(profileOf(url))).json()).toMatchObject({ profiles: [{ endValue: 796 }] });
    run.signal('SIGINT');
    expect(await run.end).toBe(0);
    expect(run.err()).toBe(
      'MainThread (physics), 796 samples: served to this machine alone. Ctrl-C ends it.\n',
    );
    expect(existsSync(join(home, '.cache'))).toBe(false);
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('ends on %s', async (signal) => {
    const run = view(['--no-open', TURTLE]);
    await run.url();
    run.signal(signal);
    expect(await run.end).toBe(0);
  });

  it('has another token each time', async () => {
    const urls = await Promise.all([1, 2].map(() => view(['--no-open', TURTLE]).url()));
    const [first, second] = urls.map((url) => new URL(url).pathname);
    expect(first).not.toBe(second);
  });

  it('ends with --once as soon as the profile was taken', async () => {
    const run = view(['--no-open', '--once', '--json', TURTLE]);
    const url = await run.url();
    await (await fetch(profileOf(url))).text();
    expect(await run.end).toBe(0);
    expect(JSON.parse(run.out())).toMatchObject({ kind: 'view', url });
    expect(run.err()).toBe('');
  });

  it('opens a profile with times in their order, and shows several sources at once', async () => {
    const timed = view(['--no-open', join(FIXTURES, 'cpuprofile/ws-bridge.cpuprofile'), TURTLE]);
    const url = await timed.url();
    expect(url).toContain('view=time-ordered');
    const file = (await (await fetch(profileOf(url))).json()) as { profiles: { name: string }[] };
    expect(file.profiles.map(({ name }) => name.split(':')[0])).toEqual([
      'ws-bridge.cpuprofile',
      'turtle-idle.raw',
    ]);
  });

  it('says what cannot be read before it serves anything', async () => {
    const run = view(['--no-open', 'nothing.raw']);
    expect([await run.end, run.out()]).toEqual([1, '']);
    expect(run.err()).toContain('There is no file and no recording called nothing.raw.');
  });
});

describe('view with a display and without a terminal', () => {
  it('opens the browser, and ends once that has loaded everything', async () => {
    const log = join(home, 'opened');
    const run = view([TURTLE], { env: { DISPLAY: ':0', BROWSER, BROWSER_LOG: log } });
    expect([await run.end, run.out()]).toEqual([0, '']);
    expect(run.err()).toBe('MainThread (physics), 796 samples: opened in your browser.\n');
    expect(readFileSync(log, 'utf8')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/#profileURL=/);
    expect(existsSync(join(home, '.cache/sim-profiler'))).toBe(false);
  });

  it('writes the view where the browser cannot be opened', async () => {
    const run = view([TURTLE], { env: { DISPLAY: ':0', BROWSER: '/bin/false' } });
    expect([await run.end, run.out()]).toEqual([0, `${kept()}\n`]);
    expect(run.err()).toContain('No browser could be opened (/bin/false ended with exit code 1).');
    expect(run.err()).toContain(`-> npx speedscope ${kept()}`);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('claims nothing where %s comes first', async (name) => {
    const log = join(home, 'started');
    const browser = join(home, 'browser.sh');
    writeFileSync(browser, '#!/bin/sh\necho >"$BROWSER_LOG"\n', { mode: 0o755 });
    const env = { DISPLAY: ':77', BROWSER: browser, BROWSER_LOG: log };
    const run = view([TURTLE], { env });
    await vi.waitUntil(() => existsSync(log), 60_000);
    run.signal(name);
    expect([await run.end, run.out()]).toEqual([130, '']);
    expect(run.err()).toContain('Interrupted before a browser had loaded it: nothing was shown.');
    expect(run.err()).not.toContain('opened');
    expect(existsSync(join(home, '.cache/sim-profiler'))).toBe(false);
    const json = view([TURTLE, '--json'], { env: { ...env, BROWSER_LOG: `${log}-json` } });
    await vi.waitUntil(() => existsSync(`${log}-json`), 60_000);
    json.signal(name);
    expect(await json.end).toBe(130);
    expect(JSON.parse(json.out())).toMatchObject({ kind: 'error', findings: [{ id: 'interrupted' }] });
    expect(json.out()).not.toContain('http');
  });

  it('tells either in one object', async () => {
    const env = { DISPLAY: ':0', BROWSER, BROWSER_LOG: join(home, 'opened') };
    const opened = view(['--json', TURTLE], { env });
    const failed = view(['--json', TURTLE], { env: { ...env, BROWSER: '/bin/false' } });
    expect([await opened.end, await failed.end]).toEqual([0, 0]);
    expect(JSON.parse(opened.out())).toMatchObject({
      kind: 'view',
      url: expect.stringContaining('http://127'),
    });
    expect(JSON.parse(failed.out())).toMatchObject({ kind: 'view', path: kept() });
  });
});

describeWhere(HAS_SCRIPT, 'no script(1) to give it a terminal')('view in a terminal', (test) => {
  test('serves without a display until Ctrl-C is typed', async () => {
    const run = view([TURTLE], { terminal: true });
    const url = await run.url();
    expect((await fetch(profileOf(url))).status).toBe(200);
    run.type('\u0003');
    expect(await run.end).toBe(0);
    expect(run.out()).not.toContain('ssh');
  });

  test('says over SSH how to bring the port to the browser, and opens none', async () => {
    const env = {
      DISPLAY: ':10',
      BROWSER,
      BROWSER_LOG: join(home, 'opened'),
      SSH_CONNECTION: '10.0.0.9 51022 10.0.0.5 2222',
      USER: "o'hara",
    };
    const run = view([TURTLE], { env, terminal: true });
    const { port } = new URL(await run.url());
    await vi.waitUntil(() => run.out().includes('-> ssh'), 60_000);
    expect(run.out()).toContain(`-> ssh -p 2222 -L ${port}:127.0.0.1:${port} 'o'\\''hara@10.0.0.5'`);
    run.type('\u0003');
    expect(await run.end).toBe(0);
    expect(existsSync(join(home, 'opened'))).toBe(false);
  });

  test('goes on serving where the browser cannot be opened, and says so', async () => {
    const run = view([TURTLE], { env: { DISPLAY: ':0', BROWSER: '/bin/false' }, terminal: true });
    const url = await run.url();
    await vi.waitUntil(() => run.out().includes('No browser could be opened ('), 60_000);
    expect((await fetch(profileOf(url))).status).toBe(200);
    run.type('\u0003');
    expect(await run.end).toBe(0);
  });

  test('opens the browser and ends with --once', async () => {
    const env = { DISPLAY: ':0', BROWSER, BROWSER_LOG: join(home, 'opened') };
    const run = view(['--once', TURTLE], { env, terminal: true });
    const url = await run.url();
    expect(await run.end).toBe(0);
    expect(readFileSync(join(home, 'opened'), 'utf8')).toBe(`${url}\n`);
  });
});

describeWhere(HAS_PTY, NO_PTY)('view in a terminal that is closed', (test) => {
  test('ends by its signal, without a core dump', async () => {
    const { code } = await inTerminal([process.execPath, BIN, 'view', '--no-open', TURTLE], {
      columns: 80,
      cwd: home,
      env: { HOME: home },
      typed: [['profileURL', undefined]],
    });
    expect(code).toBe(256 - constants.signals.SIGHUP);
  });
});

/** Frames of the first sample in what a command writes for speedscope. */
async function firstDepth(...args: readonly string[]): Promise<number> {
  const { out } = await runProfiler([...args, '-o', '-']);
  return JSON.parse(out).profiles[0].samples[0].length;
}

describe('a file that the viewer reads by itself', () => {
  const TRACE = join(FIXTURES, 'simulator/raccoon-profile.M010Drive.json');

  it('is handed on as it is: a trace of Chrome', async () => {
    const { code, out, err } = await runProfiler(['view', TRACE, '-o', '-']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(readFileSync(TRACE, 'utf8'));
    const copy = join(home, 'copy.json');
    const told = await runProfiler(['view', TRACE, '-o', copy, '--json']);
    expect(JSON.parse(told.out)).toMatchObject({
      kind: 'view',
      sources: [{ path: TRACE, format: 'chrome-trace' }],
      path: copy,
      view: 'time-ordered',
      profiles: [],
      findings: [],
    });
    expect(readFileSync(copy, 'utf8')).toBe(out);
    const spoken = await runProfiler(['view', TRACE, '-o', copy]);
    expect(spoken.err).toBe(`Wrote raccoon-profile.M010Drive.json, as it is, to ${copy}.\n`);
  });

  it('is handed on as it is: what export wrote', async () => {
    const file = join(home, 'turtle.json');
    const made = await runProfiler(['export', TURTLE, '--to', 'speedscope', '-o', file]);
    expect(made.code).toBe(0);
    const { code, out } = await runProfiler(['view', file, '-o', '-']);
    expect([code, out === readFileSync(file, 'utf8')]).toEqual([0, true]);
  });

  it('is what export writes: buckets in the names, and the worth of samples in seconds', async () => {
    await writePacedRecording(home, 'paced');
    const shown = await runProfiler(['view', 'recordings/paced', '-o', '-'], { cwd: home });
    const made = await runProfiler(['export', 'recordings/paced', '--to', 'speedscope', '-o', '-'], {
      cwd: home,
    });
    expect([made.code, made.out]).toEqual([0, shown.out]);
    const { profiles, shared } = JSON.parse(made.out);
    expect(shared.frames.map(({ name }: { name: string }) => name)).toContain('step [physics]');
    expect(profiles[0]).toMatchObject({ name: 'MainThread (physics)', unit: 'seconds' });
    const sum = profiles[0].weights.reduce((all: number, one: number) => all + one, 0);
    expect(sum).toBeCloseTo(2, 6);
  });

  it('is whole where export writes it, however deep the stacks are', async () => {
    const file = join(home, 'deep.folded');
    writeFileSync(file, `${Array.from({ length: 2500 }, (_, at) => `f${at}`).join(';')} 1\n`);
    expect(await firstDepth('view', file)).toBe(2000);
    expect(await firstDepth('export', file, '--to', 'speedscope')).toBe(2500);
  });

  it('is what is whole of a trace that is cut within an event, and that is said', async () => {
    const cut = join(FIXTURES, 'chrome-trace/02-chrome-cut-mid-object.json');
    const { code, out, err } = await runProfiler(['view', cut, '-o', '-']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toEqual([{ name: 'step', ph: 'B', pid: 1, tid: 1, ts: 0 }]);
    const told = await runProfiler(['view', cut, '-o', join(home, 'cut.json')]);
    expect(told.err).toContain('The trace breaks off after byte 49: the 1 whole events up to there');
    expect(told.err).toContain('Wrote 02-chrome-cut-mid-object.json, what is whole of it, to ');
    // A list without its end is what the viewer reads.
    const open = join(FIXTURES, 'chrome-trace/01-chrome-unterminated.json');
    expect((await runProfiler(['view', open, '-o', '-'])).out).toBe(readFileSync(open, 'utf8'));
  });

  it.each([
    ['chrome-trace/04-chrome-instants-only.json', 'has no event with a duration: none of its 1 begins (B)'],
    ['pyspy-speedscope/02-no-profiles.json', '0 samples: the target was idle'],
    ['pyspy-speedscope/03-no-profiles-no-name.json', '0 samples: the target was idle'],
  ])('is refused where the viewer would show nothing: %s', async (name, said) => {
    const { code, out, err } = await runProfiler(['view', join(FIXTURES, name), '-o', '-']);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(said);
  });

  it('is drawn anew without the weights that the viewer refuses', async () => {
    const file = join(FIXTURES, 'pyspy-speedscope/06-weights-negative-and-nan-ish.json');
    const { code, out } = await runProfiler(['view', file, '-o', '-']);
    expect(code).toBe(0);
    expect(JSON.parse(out).profiles).toMatchObject([{ name: 't', weights: [1], endValue: 1 }]);
  });

  it('is none of a profile that is to be cut, and other JSON is none', async () => {
    expect((await runProfiler(['view', TRACE, '--thread', 'main', '-o', '-'])).code).toBe(1);
    const other = join(home, 'other.json');
    writeFileSync(other, '{"a": "traceEvents"}');
    expect((await runProfiler(['view', other, '-o', '-'])).code).toBe(1);
    mkdirSync(join(home, 'folder.json'));
    expect((await runProfiler(['view', join(home, 'folder.json'), '-o', '-'])).code).toBe(1);
  });
});
