import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ThreadAccounting } from '../../src/model/index.js';
import { type Recording, type Slice, writeRecording } from '../../src/recording/index.js';

/** An empty folder of its own for one test. */
export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'profiler-cli-'));
}

const LOOP = '<module> (/app/run.py:9);run (/app/roqsim/runner.py:736);_tick (/app/roqsim/runner.py:235)';
const STEP = `${LOOP};step (/app/roqsim/engine.py:278)`;
const WAIT = `${LOOP};wait (/app/roqsim/clock.py:50)`;

/** 2 s of a paced simulation at 250 Hz: 200 samples step, 300 sleep in the pacer; a second thread waits. */
export const SLICE = `thread (100): MainThread;${STEP} 200
thread (100): MainThread;${WAIT} 300
thread (101): executor;_bootstrap (threading.py:1002);_wait_for_ready_callbacks (rclpy/executors.py:582) 500
`;

const MS = 1e6;

function accounting(tid: number, name: string, onCpuMs: number, cpuWaitMs: number): ThreadAccounting {
  return {
    tid,
    nsTid: tid - 73,
    name,
    wallNs: 2000 * MS,
    onCpuNs: onCpuMs * MS,
    cpuWaitNs: cpuWaitMs * MS,
    voluntarySwitches: 1000,
    involuntarySwitches: 3,
    states: { looks: 1000, running: 400, gil: 0, sleep: 600, other: 0 },
  };
}

const slice: Slice = {
  file: 'slices/000.raw',
  format: 'pyspy-raw',
  startNs: '1000000000',
  endNs: '3000000000',
  samples: 500,
  errors: 0,
  exit: 0,
  accounting: [
    accounting(100, 'MainThread', 800, 20),
    accounting(101, 'executor', 10, 0),
    accounting(102, 'llvmpipe-0', 900, 40),
  ],
};

const RECORDING: Recording = {
  schema: 'sim-profiler/recording/v1',
  version: '0.1.0',
  label: 'paced',
  createdAt: '2026-11-29T14:02:11.000Z',
  target: {
    pid: 100,
    nsPid: 27,
    startTicks: 5,
    command: ['python3', '/app/run.py'],
    runtime: 'python',
    runtimeVersion: '3.11.7',
    uid: 1000,
  },
  backend: 'py-spy',
  backendVersion: '0.4.2',
  route: 'nsenter',
  commands: [],
  rateHz: 250,
  requestedS: 2,
  policy: 'fifo:50',
  native: false,
  slices: [slice],
  loopRates: [
    {
      tid: 100,
      measure: 'voluntary-switches',
      before: [500, 501, 499],
      during: [500, 499],
      after: [501, 500],
    },
  ],
  sources: {
    '/app/roqsim/engine.py': {
      short: 'roqsim/engine.py',
      lines: {
        '277': '        for _ in range(n):',
        '278': '            mujoco.mj_step(self.model, self.data)',
      },
    },
    '/app/roqsim/clock.py': { short: 'roqsim/clock.py', lines: { '50': '        time.sleep(left)' } },
    '/app/roqsim/runner.py': { short: 'roqsim/runner.py', lines: {} },
  },
  machine: { cpus: 2, kernel: '6.18.0' },
  ended: 'complete',
  findings: [],
};

/** Writes a recording under `folder`/recordings/NAME and returns its path. */
export async function writePacedRecording(
  folder: string,
  name: string,
  changes: Partial<Recording> = {},
  text: string = SLICE,
): Promise<string> {
  const path = join(folder, 'recordings', name);
  mkdirSync(join(path, 'slices'), { recursive: true });
  writeFileSync(join(path, 'slices/000.raw'), text);
  await writeRecording(path, { ...RECORDING, ...changes });
  return path;
}
