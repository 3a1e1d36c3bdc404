/** What the tests write files of samples with (docs/samples-file.md): numbers are given out as the sampler does. */
export class SamplesFile {
  readonly #lines: string[] = ['sim-profiler cpython samples 1'];
  readonly #codes = new Map<string, number>();
  readonly #nodes = new Map<string, number>();
  #threads = 0;

  constructor(head: object = { python: '3.11.7', pid: 4711, rateHz: 500, startNs: '1000' }) {
    this.#lines.push(`h ${JSON.stringify(head)}`);
  }

  /** Number of a new thread; `name` absent: unknown. */
  thread(fields: { readonly tid: number; readonly nsTid?: number; readonly name?: string }): number {
    const id = this.#threads;
    this.#threads += 1;
    this.#lines.push(`d ${id} ${JSON.stringify(fields)}`);
    return id;
  }

  /** Node of a stack written `main /app/a.py:3;Engine.step /app/engine.py:12`; a piece of one word before a frame is its label. */
  stack(text: string): number {
    let parent = -1;
    let label = '';
    for (const piece of text.split(';')) {
      const match = /^(.+) (.*):(\d+)$/.exec(piece);
      if (match === null) label = ` ${JSON.stringify(piece)}`;
      else {
        parent = this.#node(parent, this.#code(match[1] ?? '', match[2] ?? ''), `${match[3]}${label}`);
        label = '';
      }
    }
    return parent;
  }

  #code(name: string, file: string): number {
    const key = JSON.stringify([name, file]);
    const known = this.#codes.get(key);
    if (known !== undefined) return known;
    const id = this.#codes.size;
    this.#codes.set(key, id);
    this.#lines.push(`c ${id} 1 ${key}`);
    return id;
  }

  #node(parent: number, code: number, rest: string): number {
    const key = `${parent} ${code} ${rest}`;
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const id = this.#nodes.size;
    this.#nodes.set(key, id);
    this.#lines.push(`f ${id} ${key}`);
    return id;
  }

  /** One look; entries as `0R17v`. */
  tick(gapNs: number, holder: number | undefined, ...entries: readonly string[]): void {
    this.#lines.push(['t', gapNs, holder ?? '-', ...entries].join(' '));
  }

  /** Any line. */
  line(text: string): void {
    this.#lines.push(text);
  }

  text(end: object | undefined = undefined): string {
    const lines = end === undefined ? this.#lines : [...this.#lines, `e ${JSON.stringify(end)}`];
    return `${lines.join('\n')}\n`;
  }
}
