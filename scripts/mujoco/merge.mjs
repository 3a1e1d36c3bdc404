/**
 * The table out of what the sources say, oldest first, each `{ phases: { phase: 'name name …' } }`: phase to sorted names. A name is in
 * it when at least one source tells its phase and none contradicts, be it by another phase or by several. `none` tells nothing. What
 * `roots` (phase to names in one text) names is never doubted.
 */
export function mergePhases(sources, roots) {
  const rooted = new Map(
    Object.entries(roots).flatMap(([phase, names]) => names.split(' ').map((name) => [name, phase])),
  );
  const told = new Map();
  for (const { phases } of sources) {
    for (const [phase, names] of Object.entries(phases)) {
      if (phase === 'none') continue;
      for (const name of names.split(' '))
        told.set(name, rooted.get(name) ?? (told.has(name) && told.get(name) !== phase ? 'shared' : phase));
    }
  }
  const table = {};
  for (const [name, phase] of [...told].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (phase in roots) (table[phase] ??= []).push(name);
  }
  return table;
}
