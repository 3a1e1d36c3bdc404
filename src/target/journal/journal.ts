import { errorReason } from '../../model/index.js';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { ownerMark, writerState } from '../cleanup/owner.js';
import { makeFolders } from '../make-folders.js';
import { hasEnded, readStat } from '../proc/stat.js';
import type { Environment } from '../tools/folder.js';
import { journalFolder } from './folder.js';

/**
 * Something of ours that could outlive us. `engine` is the `DOCKER_HOST` spelling of the engine that holds it; pids are this machine's,
 * and `startTicks` tells a reused one.
 */
export type Trace =
  | { readonly kind: 'container'; readonly engine: string; readonly name: string }
  | { readonly kind: 'image'; readonly engine: string; readonly reference: string }
  | { readonly kind: 'file'; readonly engine: string; readonly container: string; readonly path: string }
  | { readonly kind: 'process'; readonly pid: number; readonly startTicks: number }
  | { readonly kind: 'probed'; readonly pid: number; readonly startTicks: number }
  /** A Node whose inspector we opened, or asked to open where `port` is 0. */
  | { readonly kind: 'inspector'; readonly pid: number; readonly startTicks: number; readonly port: number }
  /** Probes in the kernel's tracing, and the instance that writes their hits down: all of one name. */
  | { readonly kind: 'uprobe'; readonly group: string }
  | { readonly kind: 'override'; readonly undo: OverrideUndo };

/** One container of a compose service, as far as it must be the same again once the override is undone. Lists are sorted. */
export interface ServiceInstance {
  /** 64 hexadecimal digits. Another one once Compose has made the container anew. */
  readonly id: string;
  readonly name: string;
  /** Which container of a scaled service, from 1. */
  readonly number: number;
  readonly running: boolean;
  readonly imageId: string;
  /** The configuration hash of its label. */
  readonly configHash: string;
  readonly capAdd: readonly string[];
  readonly capDrop: readonly string[];
  readonly privileged: boolean;
  /** `TYPE SOURCE DESTINATION MODE`; a volume's source is its name. */
  readonly mounts: readonly string[];
  readonly networks: readonly string[];
}

/** All that is needed to bring a compose service back to how it was. Argument lists; paths are absolute. */
export interface OverrideUndo {
  readonly engine: string;
  readonly project: string;
  readonly service: string;
  /** Folder that holds the throwaway file and the words of Compose, and only that. */
  readonly folder: string;
  /** Capabilities that the throwaway file adds: `SYS_PTRACE`. */
  readonly capabilities: readonly string[];
  /** The service's containers before the override; none where that was not written down. */
  readonly before: readonly ServiceInstance[];
  /** Nothing of ours stops it, neither a Compose command nor 0x: what does not run now was stopped by somebody else. */
  readonly settled: boolean;
  /** Folder to run it in, and the command that restores the service. */
  readonly cwd: string;
  readonly restore: readonly string[];
  /** Variables that Compose read when the override was applied, and those of them that were not set. */
  readonly environment: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
}

export interface JournalEntry {
  /** File of the entry. */
  readonly path: string;
  /** The process that wrote it; while it lives, its traces are in use. */
  readonly owner: { readonly pid: number; readonly startTicks: number; readonly mark?: string };
  readonly createdAt: string;
  readonly traces: readonly Trace[];
}

/** What this process has made and not yet taken back. On disk after every change, so that a crash leaves a true list. */
export interface Journal {
  readonly path: string;
  /** Before the thing is made. */
  readonly add: (trace: Trace) => void;
  /** After it is gone. The file goes with the last trace. */
  readonly remove: (trace: Trace) => void;
  readonly traces: () => readonly Trace[];
  /** Why the disk does not have the list, `EROFS`; undefined where it has. What must not be done without it has to ask. */
  readonly failed: () => string | undefined;
}

/** A journal for this process, in the user's state folder. Nothing is written until something is added. Never throws: see `failed`. */
export function openJournal(env: Environment, createdAt: string): Journal {
  const folder = journalFolder(env);
  const path = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}.json`);
  // Its number alone means something only in its own pid namespace.
  const owner = {
    pid: process.pid,
    startTicks: readStat(process.pid)?.startTicks ?? 0,
    mark: ownerMark(),
  };
  let traces: readonly Trace[] = [];
  let failed: string | undefined;
  const write = (): void => {
    if (traces.length === 0) {
      rmSync(path, { force: true });
      return;
    }
    makeFolders(folder);
    writeFileSync(`${path}.new`, `${JSON.stringify({ owner, createdAt, traces }, undefined, 2)}\n`, {
      mode: 0o600,
    });
    renameSync(`${path}.new`, path);
  };
  const save = (): void => {
    try {
      write();
      failed = undefined;
    } catch (error) {
      failed = errorReason(error);
    }
  };
  return {
    path,
    traces: () => traces,
    failed: () => failed,
    add: (trace) => {
      traces = [...traces, trace];
      save();
    },
    remove: (trace) => {
      const gone = JSON.stringify(trace);
      traces = traces.filter((one) => JSON.stringify(one) !== gone);
      save();
    },
  };
}

/** Whether the process that wrote an entry still runs, or may do so in a pid namespace that we do not see. */
export function isInUse({ owner }: JournalEntry): boolean {
  if (owner.mark !== undefined) return writerState(owner.mark) !== 'ended';
  const stat = readStat(owner.pid);
  // One that was killed stays in the list until whoever started it has taken note.
  return stat !== undefined && stat.startTicks === owner.startTicks && !hasEnded(stat);
}
