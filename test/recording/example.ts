import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { ThreadAccounting } from '../../src/model/index.js';
import { RECORDING_SCHEMA, writeRecording } from '../../src/recording/index.js';
import type { Recording, Slice } from '../../src/recording/index.js';

/** A new empty folder for each call; gone after the test. */
export function temporaryFolders(): () => string {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'recording-'));
    made.push(folder);
    return folder;
  };
}

export function threadAccounting(part: Partial<ThreadAccounting>): ThreadAccounting {
  return {
    tid: 48211,
    name: 'python3',
    wallNs: 2e9,
    onCpuNs: 8e8,
    cpuWaitNs: 1e7,
    voluntarySwitches: 1000,
    involuntarySwitches: 3,
    ...part,
  };
}

export function slice(part: Partial<Slice> = {}): Slice {
  return {
    file: 'slices/000.raw',
    format: 'pyspy-raw',
    startNs: '9007199254740993000',
    endNs: '9007199256740993000',
    samples: 500,
    errors: 1,
    exit: 0,
    machineCpu: { busyNs: 3_000_000_000, stolenNs: 200_000_000 },
    accounting: [threadAccounting({})],
    ...part,
  };
}

export function recording(part: Partial<Recording> = {}): Recording {
  return {
    schema: RECORDING_SCHEMA,
    version: '0.1.0',
    createdAt: '2026-11-29T14:02:11.000Z',
    target: {
      pid: 48211,
      startTicks: 123456,
      command: ['python3', 'run_bridge.py'],
      runtime: 'python',
      runtimeVersion: '3.11.7',
      uid: 1000,
    },
    backend: 'py-spy',
    backendVersion: '0.4.3',
    route: 'nsenter',
    commands: [['chrt', '-f', '50', 'py-spy', 'record', '--pid', '48211']],
    rateHz: 250,
    requestedS: 20,
    policy: 'fifo:50',
    native: false,
    slices: [],
    loopRates: [],
    sources: {},
    machine: { cpus: 2, kernel: '6.1.0' },
    ended: 'complete',
    findings: [],
    ...part,
  };
}

/** Writes a recording and the texts of its slices. */
export async function laidOut(
  folder: string,
  manifest: Recording,
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  await writeRecording(folder, manifest);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  return folder;
}
