import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { overrideCommand } from '../../src/cli/override.js';
import type { Io } from '../../src/cli/io.js';
import type { ProfilerError } from '../../src/model/index.js';
import { openJournal } from '../../src/target/index.js';
import { whyNoComposeV2 } from '../docker/daemon.js';
import { describeWhere } from '../only-where.js';
import { loopService, stacksOfSuite, planFor, type Stack, thrownBy } from '../target/compose/stack.js';

interface Said {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

describeWhere(whyNoComposeV2 === undefined, whyNoComposeV2 ?? '')('profiler override', (it) => {
  const suite = stacksOfSuite();
  let stack: Stack;

  /** `answer`: what is typed on the terminal; without one there is none. */
  async function run(args: readonly string[], answer?: string): Promise<Said> {
    let [out, err, code] = ['', '', 0];
    const style = { width: 100, color: false };
    const io: Io = {
      out: (text) => {
        out += String(text);
        return Promise.resolve();
      },
      err: (text) => void (err += text),
      async *stdin() {
        yield new TextEncoder().encode(answer ?? '');
      },
      stdinIsTerminal: answer !== undefined,
      stdoutIsTerminal: false,
      stderrIsTerminal: answer !== undefined,
      style,
      errStyle: style,
      env: stack.env,
      cwd: stack.folder,
      setExitCode: (now) => void (code = now),
    };
    await overrideCommand(io)
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
      .parseAsync([...args], { from: 'user' });
    return { out, err, code };
  }

  function refused(args: readonly string[]): Promise<ProfilerError['finding']> {
    return thrownBy(run(args));
  }

  async function up(): Promise<void> {
    stack = await suite.make('c-cli');
    stack.write('compose.yaml', `services:\n${loopService('bridge')}`);
    await stack.compose(['up', '-d']);
  }

  const service = ['--service', 'bridge', '--project', 'c-cli'];

  it('prints the file and the lines to type, for people and for scripts', async () => {
    await up();
    const id = await stack.id('bridge');
    const { out } = await run(service);
    const lines = out.split('\n').map((line) => line.trim());
    expect(lines).toEqual(expect.arrayContaining(['"bridge":', 'cap_add:', '- SYS_PTRACE', 'To undo it:']));
    expect(lines.at(-2)).toBe('next: profiler override --service bridge --project c-cli --apply');
    const json = JSON.parse((await run([...service, '--json'])).out);
    expect(json).toMatchObject({
      schema: 'sim-profiler/v1',
      kind: 'override',
      project: 'c-cli',
      service: 'bridge',
      capabilities: ['SYS_PTRACE'],
      recreated: ['c-cli-bridge-1'],
      findings: [],
    });
    expect(json.lines.apply.at(-1)).toBe(json.commands.apply.join(' '));
    expect(await stack.id('bridge')).toBe(id);
  });

  it('spells nothing out that must not be applied', async () => {
    await up();
    stack.write('compose.yaml', `services:\n${loopService('bridge')}    cpu_shares: 512\n`);
    const { out, code } = await run(service);
    expect([code, out.includes('To apply it'), out.includes('--apply')]).toEqual([1, false, false]);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      /-> docker compose -p c-cli --project-directory \S+ -f \S+\/compose\.yaml up -d bridge \(brings it up to date/,
    );
    const json = JSON.parse((await run([...service, '--json'])).out);
    expect([json.findings[0].id, json.lines, json.commands]).toEqual([
      'override-drifted',
      undefined,
      undefined,
    ]);
  });

  it('finds the service by its compose file or its container as well', async () => {
    await up();
    for (const args of [
      ['--compose', 'compose.yaml', '--service', 'bridge'],
      ['--container', 'c-cli-bridge-1'],
    ])
      expect(JSON.parse((await run([...args, '--json'])).out)).toMatchObject({
        project: 'c-cli',
        service: 'bridge',
      });
  });

  it('asks before it applies, and takes no for an answer', async () => {
    await up();
    const id = await stack.id('bridge');
    expect(await refused([...service, '--apply'])).toMatchObject({
      id: 'needs-yes',
      fix: 'profiler override --service bridge --project c-cli --apply --yes',
    });
    const no = await run([...service, '--apply'], 'n\n');
    expect(no).toMatchObject({ out: '', code: 1 });
    expect(no.err).toContain('Made anew, now and when it is undone: c-cli-bridge-1.');
    expect(no.err).toMatch(/Make it anew\? \[y\/N\] Nothing was changed\.\n$/);
    expect(await stack.id('bridge')).toBe(id);
  });

  it('applies on a yes, and undoes it by name or all together', async () => {
    await up();
    const state = await stack.state('bridge');
    const yes = await run([...service, '--apply'], 'y\n');
    expect(yes.code).toBe(0);
    expect(yes.out).toMatch(
      /^ {2}Container c-cli-bridge-1 \([0-9a-f]{12}\) has SYS_PTRACE and steps again\.\n/,
    );
    expect(yes.out).toContain('to undo it: profiler override --service bridge --project c-cli --restore\n');
    // This process, which wrote it down, still lives.
    expect(await refused(['--restore', ...service])).toMatchObject({ id: 'override-in-use' });
    expect((await run(['--restore'])).out).toBe('  No override is in place.\n');
    const again = await run([...service, '--apply', '--yes', '--json']);
    expect(JSON.parse(again.out)).toMatchObject({ kind: 'override-applied', changed: false });
    leaveJournal();
    const restored = JSON.parse((await run(['--restore', '--json'])).out);
    expect(restored).toEqual({
      schema: 'sim-profiler/v1',
      kind: 'override-restored',
      overrides: [{ project: 'c-cli', service: 'bridge', outcome: 'restored', findings: [] }],
      findings: [],
    });
    expect(await stack.state('bridge')).toEqual(state);
  });

  /** As if the process that wrote the journal had ended. */
  function leaveJournal(): void {
    const folder = `${stack.env['XDG_STATE_HOME']}/sim-profiler/journal`;
    for (const name of readdirSync(folder)) {
      const entry = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));
      writeFileSync(`${folder}/${name}`, JSON.stringify({ ...entry, owner: { pid: 1, startTicks: -1 } }));
    }
  }

  it('goes on to the next one where one cannot be restored', async () => {
    await up();
    const { undo } = await planFor(stack, 'bridge');
    const journal = openJournal(stack.env, '2026-01-01T00:00:00.000Z');
    journal.add({ kind: 'override', undo: { ...undo, engine: 'unix:///no/such.sock', service: 'lost' } });
    journal.add({ kind: 'override', undo: { ...undo, folder: `${undo.folder.slice(0, -8)}00000000` } });
    leaveJournal();
    const { out, code } = await run(['--restore']);
    expect(code).toBe(1);
    expect(out).toContain('Service lost of project c-cli could not be restored.');
    expect(out).toContain('Service bridge of project c-cli runs without the override already.');
  });

  it('asks which one is meant, and refuses what cannot be meant together', async () => {
    await up();
    expect(await refused([])).toMatchObject({ id: 'target-missing' });
    expect(await refused(['--service', ''])).toMatchObject({ fix: 'profiler override --service NAME' });
    await expect(run([...service, '--apply', '--restore'])).rejects.toThrow(/cannot be used with/);
    const { undo } = await planFor(stack, 'bridge');
    const journal = openJournal(stack.env, 'now');
    journal.add({ kind: 'override', undo });
    journal.add({
      kind: 'override',
      undo: { ...undo, project: 'other', folder: `${undo.folder.slice(0, -8)}00000000` },
    });
    leaveJournal();
    expect(await refused(['--restore', '--service', 'bridge'])).toMatchObject({
      id: 'override-ambiguous',
      list: ['c-cli: bridge', 'other: bridge'],
    });
  });
});
