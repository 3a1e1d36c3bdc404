/** The lines `c …` and `f …` of a reader, as frames with their callers. */
export interface ReadFrame {
  readonly id: number;
  readonly parent: ReadFrame | undefined;
  readonly name: string;
  readonly file: string;
  readonly firstLine: number;
  readonly line: number;
  /** Of the marker above it. */
  readonly label?: string;
}

export function parseStacks(text: string): readonly ReadFrame[] {
  const codes: { readonly name: string; readonly file: string; readonly firstLine: number }[] = [];
  const frames: ReadFrame[] = [];
  for (const row of text.split('\n').filter((line) => line !== '')) {
    const code = /^c (\d+) (\d+) (\[.*\])$/.exec(row);
    const frame = /^f (\d+) (-1|\d+) (\d+) (\d+)(?: (".*"))?$/.exec(row);
    if (code !== null) {
      const [name, file] = JSON.parse(code[3]!) as [string, string];
      if (Number(code[1]) !== codes.length) throw new Error(`out of order: ${row}`);
      codes.push({ name, file, firstLine: Number(code[2]) });
    } else if (frame !== null) {
      const id = Number(frame[1]);
      const parent = Number(frame[2]);
      const of = codes[Number(frame[3])];
      if (id !== frames.length || parent >= id || of === undefined) throw new Error(`out of order: ${row}`);
      const label = frame[5] === undefined ? {} : { label: JSON.parse(frame[5]) as string };
      frames.push({ id, parent: frames[parent], line: Number(frame[4]), ...of, ...label });
    } else throw new Error(`no such line: ${row}`);
  }
  return frames;
}

/** Functions of a stack without their classes, outermost first, with markers between them. */
export function functionsOf(frame: ReadFrame | undefined): readonly string[] {
  const parts: string[] = [];
  for (let at = frame; at !== undefined; at = at.parent) {
    parts.unshift(at.name.slice(at.name.lastIndexOf('.') + 1));
    if (at.label !== undefined) parts.unshift(at.label);
  }
  return parts;
}

/** `root;…;leaf`, each as `name:line`. */
export function stackText(frame: ReadFrame | undefined): string {
  const parts: string[] = [];
  for (let at = frame; at !== undefined; at = at.parent) parts.unshift(`${at.name}:${at.line}`);
  return parts.join(';');
}
