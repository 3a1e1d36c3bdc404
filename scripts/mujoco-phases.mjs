// Makes src/rules/packs/mujoco-leaves.ts: which function of libmujoco tells which phase of a step.
//
//   node scripts/mujoco-phases.mjs LIBRARY…   reads each library (nm, readelf, objdump) into scripts/mujoco/library-VERSION.json first
//   node scripts/mujoco-phases.mjs            only merges what is there
//   --print                                   writes no file: what was read and what came of it, as JSON on standard output
//
// A library needs its own symbols (`nm` without -D must list local functions): the wheels of PyPI have them. Of a stripped one only the
// exported names are left, and the calls between the others are not, so it is refused.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mergePhases } from './mujoco/merge.mjs';
import { PHASE_ROOTS } from './mujoco/phase-roots.mjs';
import { readLibrary } from './mujoco/read-library.mjs';

const FOLDER = fileURLToPath(new URL('mujoco/', import.meta.url));
const TABLE = fileURLToPath(new URL('../src/rules/packs/mujoco-leaves.ts', import.meta.url));
const OXFMT = fileURLToPath(new URL('../node_modules/.bin/oxfmt', import.meta.url));

const { values: flags, positionals: libraries } = parseArgs({
  allowPositionals: true,
  options: { print: { type: 'boolean', default: false } },
});

const kept = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(`${FOLDER}${name}`, 'utf8')));
const fresh = [];
for (const library of libraries) fresh.push(await readWhole(library));

const sources = [
  ...kept.filter(({ version }) => !fresh.some((one) => one.version === version)),
  ...fresh,
].sort((a, b) => number(a.version) - number(b.version));
const table = mergePhases(sources, PHASE_ROOTS);
const versions = sources.filter(({ exported }) => exported !== undefined).map(({ version }) => version);

if (flags.print) {
  process.stdout.write(`${JSON.stringify({ versions, phases: table, read: fresh })}\n`);
} else {
  for (const read of fresh) {
    writeFileSync(`${FOLDER}library-${read.version}.json`, `${JSON.stringify(read, undefined, 2)}\n`);
  }
  writeFileSync(TABLE, tableText());
  spawnSync(OXFMT, [TABLE], { stdio: 'inherit' });
  for (const { version, exported, local } of fresh) {
    process.stdout.write(`${version}: ${exported} exported and ${local} local functions\n`);
  }
  for (const phase of Object.keys(PHASE_ROOTS))
    process.stdout.write(`${phase}: ${table[phase]?.length ?? 0}\n`);
}

async function readWhole(library) {
  const read = await readLibrary(library);
  if (read.local > read.exported) return read;
  const { exported, local } = read;
  process.stderr.write(
    `${library} is stripped: ${exported} exported and ${local} local functions. Take the wheel of PyPI.\n`,
  );
  process.exit(1);
}

function number(version) {
  return version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
}

function tableText() {
  const phases = Object.keys(PHASE_ROOTS).map(
    (phase) => `  '${phase}': ${JSON.stringify(table[phase] ?? [])},\n`,
  );
  return `// Made by scripts/mujoco-phases.mjs; changes here are lost.

/** Releases of MuJoCo whose compiled library the table was read from and held against. */
export const MUJOCO_CHECKED = ${JSON.stringify(versions)} as const;

/**
 * Functions of libmujoco that only one phase of a step can reach, so that a leaf alone tells its phase: in the call graph of every
 * library above and of the sources of 3.12.1, as far as they know the name. What several phases share (\`mju_dot\`, \`mj_solveLD\`) is
 * left out on purpose.
 */
export const MUJOCO_PHASES = {
${phases.join('')}} as const satisfies Readonly<Record<string, readonly string[]>>;

export type MujocoPhase = keyof typeof MUJOCO_PHASES;
`;
}
