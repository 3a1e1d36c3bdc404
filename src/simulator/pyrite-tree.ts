/**
 * What calls what in Pyrite's frame. Each category also holds the time of those below it, so that only rows of one place may be added.
 * A category that is not here may run in a frame, before the first, or on a worker thread (`World_Init`, `Chunk_BuildMesh`): the report
 * does not say.
 */
const INSIDE: readonly (readonly [RegExp, string])[] = [
  [/^Frame_Total$/, 'Pyrite_Run'],
  [/^Pyrite_(?:Update|Render)$/, 'Frame_Total'],
  [/^(?:World|Player)_Update$/, 'Pyrite_Update'],
  [/^World_Render/, 'Pyrite_Render'],
  [/^Frustum_Culling$/, 'World_Render'],
];

/** By category the ones around it, the outermost first; those that a report does not have are passed over. */
export function pathsOf(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const known = new Set(names);
  return new Map(names.map((name) => [name, around(name).filter((one) => known.has(one))]));
}

function around(name: string): readonly string[] {
  const outer = INSIDE.find(([inner]) => inner.test(name))?.[1];
  return outer === undefined ? [] : [...around(outer), outer];
}
