import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { samplerEnvironment } from '../routes/sampler-environment.js';
import { PROC, readProcLink } from '../proc/file.js';
import type { InspectorAddress } from './inspector/connect.js';

/** The compiled program that talks to inspectors, beside this file. */
export function inspectorProgram(): string {
  return fileURLToPath(new URL('./inspector/main.js', import.meta.url));
}

/** Whether a process lives in our network; undefined where the kernel does not let us look. */
export function sharesNetwork(pid: number, proc: string = PROC): boolean | undefined {
  const ours = readProcLink(proc, 'self/ns/net');
  const theirs = readProcLink(proc, String(pid), 'ns', 'net');
  return ours === undefined || theirs === undefined ? undefined : ours === theirs;
}

/** Where the program runs. */
export interface InspectorPlace {
  readonly pid: number;
  /** The compiled program, where it does not lie beside this file. */
  readonly program?: string;
}

/** Command line of the program in the network of a process. Only that is joined: files are ours, and no port is published. */
export function inspectorArgv({ pid, program }: InspectorPlace, args: readonly string[]): readonly string[] {
  const enter = sharesNetwork(pid) === false ? ['nsenter', '-t', String(pid), '-n'] : [];
  return [...enter, process.execPath, program ?? inspectorProgram(), ...args];
}

const PATIENCE_MS = 20_000;

/** Runs the program to its end. */
export async function askInspector(
  place: InspectorPlace,
  verb: 'look' | 'close',
  { host, port }: InspectorAddress,
): Promise<{ readonly works: boolean; readonly said: string }> {
  const [file = '', ...args] = inspectorArgv(place, [verb, host, String(port)]);
  const run = await execa(file, args, {
    reject: false,
    stdin: 'ignore',
    timeout: PATIENCE_MS,
    env: samplerEnvironment(),
  });
  return { works: run.exitCode === 0, said: `${run.stdout}\n${run.stderr}`.trim() };
}
