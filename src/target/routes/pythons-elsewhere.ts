/** A Python process by the number and command line of its own pid namespace. */
export interface PythonElsewhere {
  readonly pid: number;
  /** Its command line cut at blanks: py-spy prints the arguments joined by them. */
  readonly command: readonly string[];
  /** Files whose code was seen at work. */
  readonly files: readonly string[];
}

/** `process 1:"sh -c …";process 6:"python3 …";thread (6): MainThread;…`: what started what, the Python last. */
const PROCESS = /(?:^|";)process (\d+):"/g;
const THREAD = '";thread (';
/** A command line may hold line breaks: a stack begins where the first process of the namespace does. */
const NEXT_STACK = /\n(?=process 1:")/;
const FILE = / \((\/[^();]+):\d+\)(?=;| \d+$)/g;

/** The Pythons of a raw recording with `--subprocesses --threads --full-filenames`, in order of their pids. */
export function pythonsIn(raw: string): readonly PythonElsewhere[] {
  const found = new Map<number, { readonly command: readonly string[]; readonly files: Set<string> }>();
  for (const stack of raw.split(NEXT_STACK)) {
    // The last: what stands before it may hold anything.
    const end = stack.lastIndexOf(THREAD);
    const last = [...stack.slice(0, Math.max(0, end)).matchAll(PROCESS)].at(-1);
    if (last?.[1] === undefined) continue;
    const pid = last[1];
    const text = stack.slice(last.index + last[0].length, end);
    const known = found.get(Number(pid)) ?? { command: text.split(' '), files: new Set<string>() };
    found.set(Number(pid), known);
    for (const [, file = ''] of stack.trimEnd().matchAll(FILE)) known.files.add(file);
  }
  return [...found]
    .map(([pid, { command, files }]) => ({ pid, command, files: [...files] }))
    .sort((a, b) => a.pid - b.pid);
}
