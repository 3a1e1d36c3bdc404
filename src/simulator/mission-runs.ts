import { type MissionFile, missionTables } from './raccoon-missions.js';
import { hasMission } from './raccoon-mission-name.js';
import { documentOf } from './json-text.js';
import { isRaccoon } from './raccoon-trace-events.js';
import type { CostTable } from './table.js';
import { traceEvents } from './trace-events.js';

/** Traces of one run of a robot, one for each of its missions, and their tables as those of one trace. */
export interface MissionRun {
  readonly name: string;
  readonly files: readonly MissionFile[];
  readonly tables: readonly CostTable[];
}

/**
 * The runs among some texts: traces of raccoon in one folder whose names begin alike (`STEM.MISSION.json`), or that name no mission. Runs of
 * a single trace are none: they are read as any file. Texts of something else are passed over.
 */
export function missionRuns(files: readonly MissionFile[]): readonly MissionRun[] {
  if (files.length < 2) return [];
  const runs = new Map<string, MissionFile[]>();
  for (const file of files) {
    const events = traceEvents(documentOf(file.text)?.document);
    if (events === undefined || !isRaccoon(events)) continue;
    const run = runName(file.name);
    const others = runs.get(run);
    if (others === undefined) runs.set(run, [file]);
    else others.push(file);
  }
  return [...runs].flatMap(([name, own]) =>
    own.length < 2 ? [] : [{ name, files: own, tables: missionTables(own) }],
  );
}

function runName(path: string): string {
  return path.replace(/[^\\/]*$/, (file) =>
    hasMission(file) ? file.replace(/\.[^.]+\.json$/, '.*.json') : '*',
  );
}
