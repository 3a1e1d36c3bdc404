/** The mission that a trace is of: `STEM.MISSION.json`, `STEM.MISSION-2.json` for the second of a name; of a stem without one the stem. */
export function missionName(path: string): string {
  const file = path.replace(/^.*[\\/]/, '').replace(/\.json$/, '');
  return /\.([^.]+)$/.exec(file)?.[1] ?? file;
}

/** Whether a file name tells a mission at all. */
export function hasMission(path: string): boolean {
  return /[^\\/]\.[^.\\/]+\.json$/.test(path);
}
