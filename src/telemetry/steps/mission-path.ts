/** `STEM.MISSION.json`, and `STEM.MISSION-2.json` for the second of a name: as raccoon's mission runner names them. */
export function missionPath(path: string, mission: string, turn: number): string {
  const stem = path.replace(/\.json$/, '');
  // A name must not lead into another folder, nor look like two.
  const name = mission.replace(/[^\p{L}\p{N}_-]+/gu, '_');
  return `${stem}.${name}${turn > 1 ? `-${turn}` : ''}.json`;
}
