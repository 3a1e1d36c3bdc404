import { ProfilerError, type Finding } from '../model/index.js';
import { cleanText, plural, type Rtf } from '../report/index.js';
import { readTables } from '../simulator/index.js';
import { inputText } from './input-bytes.js';
import type { Io } from './io.js';

/** What a simulator printed of its real-time factor. Throws ProfilerError `cannot-read`, `no-real-time-factor`. */
export async function logRtf(
  io: Io,
  { log = '-', pace }: { readonly log?: string; readonly pace: number },
): Promise<Rtf> {
  const tables = readTables(await inputText(io, log));
  const said = tables.flatMap((table) =>
    table.realTimeFactor === undefined ? [] : [{ ...table, factor: table.realTimeFactor }],
  );
  const last = said.at(-1);
  if (last === undefined) throw noFactor(log, tables.length);
  const { factor, title, lines, findings } = last;
  return {
    source: log === '-' ? 'standard input' : log,
    factor,
    // All the others print what they did as fast as they could.
    ...(last.kind === 'mujoco-timers' ? { pace } : {}),
    measured: { way: 'log', title, lines },
    findings: [
      ...findings,
      ...(said.length > 1 ? [several(said.map((table) => table.factor))] : []),
      unbounded(),
    ],
  };
}

function several(factors: readonly number[]): Finding {
  const shown = factors.slice(-10).map((factor) => String(factor));
  return {
    level: 'note',
    id: 'several-factors',
    what: `It tells ${factors.length} real-time factors; the last ones: ${shown.join(', ')}.`,
    why: 'Several runs wrote to it; the last is shown.',
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

function noFactor(log: string, tables: number): ProfilerError {
  const name = log === '-' ? 'Standard input' : cleanText(log);
  return new ProfilerError({
    id: 'no-real-time-factor',
    what: `${name} tells no real-time factor${tables === 0 ? '' : `; its ${plural(tables, 'table')} ${tables === 1 ? 'has' : 'have'} none`}.`,
    why: 'FlyGym, testspeed and mujoco_warp print one; roqsim does not.',
    fix: 'profiler rtf --measure 20,40 -- CMD --seconds {}',
  });
}
