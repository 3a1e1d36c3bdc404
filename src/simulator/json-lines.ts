/** JSON documents that stand on lines of their own in a log, with their place: programs print such between what else they say. */
export function jsonLines(
  lines: readonly string[],
  key: string,
): readonly { readonly document: unknown; readonly at: number }[] {
  return lines.flatMap((line, at) => {
    // Python writes NaN, which JSON does not have.
    if (!line.startsWith('{') || !line.includes(`"${key}"`)) return [];
    try {
      return [
        { document: JSON.parse(line.replaceAll(/: -?(?:NaN|Infinity)(?=[,}])/g, ': null')) as unknown, at },
      ];
    } catch {
      return [];
    }
  });
}

/** The values of an object that came from outside; empty where it is none. */
export function entriesOf(value: unknown): ReadonlyMap<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return new Map(isObject ? Object.entries(value) : []);
}

/** A number that can be counted with. */
export function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
