import { ProfilerError, type Finding } from '../model/index.js';
import { cleanText, plural, type Rtf } from '../report/index.js';
import { type CostTable, readTables } from '../simulator/index.js';
import { inputText } from './input-bytes.js';
import type { Io } from './io.js';

/** What a simulator printed of its real-time factor. Throws ProfilerError `cannot-read`, `no-real-time-factor`. */
export async function logRtf(io: Io, { log = '-' }: { readonly log?: string }): Promise<Rtf> {
  const tables = readTables(await inputText(io, log));
  const said = tables.flatMap((table) =>
    table.realTimeFactor === undefined || isOfPhysicsAlone(table)
      ? []
      : [{ ...table, factor: table.realTimeFactor }],
  );
  const last = said.at(-1);
  if (last === undefined) throw noFactor(log, tables);
  const { factor, title, lines, findings } = last;
  return {
    source: log === '-' ? 'standard input' : log,
    factor,
    // No pace: they print what they did as fast as they could.
    measured: { way: 'log', title, lines },
    findings: [
      ...findings,
      ...(said.length > 1 ? [several(said.map((table) => table.factor))] : []),
      unbounded(),
    ],
  };
}

/** MuJoCo's timers leave out all that the loop does between two steps, so that a simulation which falls behind looks fast in them. */
function isOfPhysicsAlone({ kind }: CostTable): boolean {
  return kind === 'mujoco-timers';
}

function several(factors: readonly number[]): Finding {
  const shown = factors.slice(-10).map((factor) => String(Number(factor.toPrecision(4))));
  return {
    level: 'note',
    id: 'several-factors',
    what: `It tells ${factors.length} real-time factors; the last ones: ${shown.join(', ')}.`,
    why: 'Several runs wrote to it, or one of them more than once; the last is shown.',
  };
}

function unbounded(): Finding {
  return {
    level: 'note',
    id: 'factor-unbounded',
    what: 'How far it may be off, the simulator does not say.',
    why: 'It is one figure of one run, rounded as it was printed.',
    fix: 'profiler rtf --measure 20,40 --repeat 3 -- CMD --seconds {}',
  };
}

function noFactor(log: string, tables: readonly CostTable[]): ProfilerError {
  const name = log === '-' ? 'Standard input' : cleanText(log);
  const has =
    tables.length === 0
      ? ''
      : `; its ${plural(tables.length, 'table')} ${tables.length === 1 ? 'has' : 'have'} none`;
  const timers = tables.some((table) => table.realTimeFactor !== undefined && isOfPhysicsAlone(table));
  return new ProfilerError({
    id: 'no-real-time-factor',
    what: `${name} tells no real-time factor${timers ? ' of the whole loop' : has}.`,
    why: timers
      ? "MuJoCo's timers tell how fast physics alone would be (profiler tables), without the loop around it and its pacer."
      : 'FlyGym, testspeed and mujoco_warp print one; roqsim does not.',
    fix: 'profiler rtf --measure 20,40 -- CMD --seconds {}',
  });
}
