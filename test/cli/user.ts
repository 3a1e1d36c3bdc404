import type { Io } from '../../src/cli/io.js';

export interface Said {
  out: string;
  err: string;
  code: number;
}

export interface User {
  readonly env: Io['env'];
  readonly cwd: string;
  /** What is typed on the terminal; without it there is none. */
  readonly input?: string;
}

/** A command's ends, and what it said to them. */
export function userWith({ env, cwd, input }: User): { readonly io: Io; readonly said: Said } {
  const said: Said = { out: '', err: '', code: 0 };
  const style = { width: 80, color: false };
  async function* typed(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(input ?? '');
  }
  const io: Io = {
    out: async (text) => void (said.out += String(text)),
    err: (text) => void (said.err += text),
    stdin: typed,
    stdinIsTerminal: input !== undefined,
    stdoutIsTerminal: false,
    stderrIsTerminal: input !== undefined,
    style,
    errStyle: style,
    env,
    cwd,
    setExitCode: (code) => void (said.code = code),
  };
  return { io, said };
}
