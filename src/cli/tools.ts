import { Command, Argument } from 'commander';
import { ProfilerError } from '../model/index.js';
import type { Io } from './io.js';
import { findPySpy, installPySpy, toolsFolder, type Environment } from '../target/index.js';

/** `profiler tools list|install`: the samplers it drives. Throws `ProfilerError`. */
export function toolsCommand(io: Pick<Io, 'out' | 'err' | 'env'>, arch: string = process.arch): Command {
  const { env } = io;
  const tools = new Command('tools')
    .description('the samplers it drives: where each was found, version, checksum')
    .addHelpText('after', '\nExamples:\n  $ profiler tools list\n  $ profiler tools install py-spy\n');
  tools
    .command('list', { isDefault: true })
    .description('show which samplers are found, and where')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExamples:\n  $ profiler tools list\n  $ profiler tools list --json\n')
    .action(async ({ json }: { readonly json?: true }) => {
      const row = await pySpyRow(env);
      await io.out(json ? toJson('tools', { tools: [row] }) : `${listText(row)}\n`);
    });
  tools
    .command('install')
    .description(`download a sampler into ${toolsFolder(env)}`)
    .addArgument(new Argument('<name>', 'the sampler').choices(['py-spy']))
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  $ profiler tools install py-spy\n')
    .action(async (name: string, { json }: { readonly json?: true }) => {
      if (json === undefined) io.err(`Downloading ${name} with your own pip or uv\n`);
      const tool = await installPySpy({ env, arch });
      await io.out(
        json
          ? toJson('tool-installed', { tool: { name, ...tool } })
          : `${name} ${tool.version} installed at ${tool.path}\nchecksum of its wheel as pinned: sha256 ${tool.sha256}\n`,
      );
    });
  return tools;
}

interface ToolRow {
  readonly name: string;
  readonly state: 'found' | 'missing' | 'broken';
  readonly path?: string;
  readonly version?: string;
  readonly from?: string;
  readonly because?: string;
  readonly fix?: string;
  readonly passedOver?: readonly { readonly path: string; readonly because: string }[];
}

async function pySpyRow(env: Environment): Promise<ToolRow> {
  try {
    return { name: 'py-spy', state: 'found', ...(await findPySpy({ env })) };
  } catch (error) {
    if (!(error instanceof ProfilerError)) throw error;
    const { id, what, why, fix } = error.finding;
    const state = id === 'py-spy-broken' ? 'broken' : 'missing';
    return { name: 'py-spy', state, because: `${what} ${why}`, ...(fix === undefined ? {} : { fix }) };
  }
}

const SOURCES: Readonly<Record<string, string>> = {
  environment: 'named by PROFILER_PY_SPY',
  path: 'found in PATH',
  'tools-folder': 'from our tools folder',
};

function listText(row: ToolRow): string {
  if (row.state !== 'found') return `${row.name}  ${row.state}: ${row.because ?? ''}\n  ${row.fix ?? ''}`;
  const others = (row.passedOver ?? []).map(({ path, because }) => `\n  passed over ${path}: ${because}`);
  return `${row.name}  ${row.version ?? ''}  ${row.path ?? ''}  (${SOURCES[row.from ?? ''] ?? row.from ?? ''})${others.join('')}`;
}

function toJson(kind: string, body: object): string {
  return `${JSON.stringify({ schema: 'sim-profiler/v1', kind, ...body, findings: [] })}\n`;
}
