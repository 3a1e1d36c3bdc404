import { readFileSync } from 'node:fs';
import type { SliceThread } from '../recording/index.js';
import { type NodeSliceFacts, type Target, threads } from '../target/index.js';
import type { RatedRequest } from './request.js';

/** What Node told beside the samples of one slice, with the threads by this machine's numbers. */
export interface NodeSlice extends Omit<NodeSliceFacts, 'threads'> {
  readonly threads: readonly SliceThread[];
  readonly seconds: number;
}

/** Facts of a slice whose profile is `slices/000.cpuprofile`. Undefined where the request has no Node. */
export function readNodeSlice(request: RatedRequest, file: string, seconds: number): NodeSlice | undefined {
  if (request.node === undefined) return undefined;
  const told = readFacts(`${request.folder}/${file.replace(/\.cpuprofile$/, '.json')}`);
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  const known = threads(request.target);
  const rows: NodeSliceFacts['threads'] = told?.threads ?? [{ file: file.slice(folder.length), samples: 0 }];
  return {
    threads: rows.map(({ file: own, tid, name, startUs, telemetry }, index): SliceThread => {
      const host = index === 0 ? request.target.pid : hostThread(request.target, known, tid);
      return {
        file: `${folder}${own}`,
        ...(host === undefined ? {} : { tid: host }),
        ...(name === undefined ? {} : { name }),
        ...(startUs === undefined ? {} : { startNs: String(BigInt(startUs) * 1000n) }),
        ...(telemetry === undefined ? {} : { telemetry: `${folder}${telemetry}` }),
      };
    }),
    silentWorkers: told?.silentWorkers ?? 0,
    seconds,
    ...(told?.loop === undefined ? {} : { loop: told.loop }),
  };
}

/** Written by our own program a moment ago. */
function readFacts(path: string): NodeSliceFacts | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as NodeSliceFacts;
  } catch {
    return undefined;
  }
}

function hostThread(
  { nsPid }: Target,
  known: ReturnType<typeof threads>,
  tid: number | undefined,
): number | undefined {
  if (tid === undefined) return undefined;
  return known.find((thread) => (nsPid === undefined ? thread.tid : (thread.nsTid ?? thread.tid)) === tid)
    ?.tid;
}
