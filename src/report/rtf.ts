import type { Finding } from '../model/index.js';
import type { Bounded, TimedRun } from '../simulator/index.js';

/** How a real-time factor was measured, with the facts of that way alone. */
export type RtfMeasured =
  | {
      /** `measure`: of a command that we ran; `runs`: as the user timed them. */
      readonly way: 'runs' | 'measure';
      readonly runs: readonly TimedRun[];
      readonly startUpS: Bounded;
      /** What the interval holds; see `RunsFactor`. */
      readonly bounds: 'reading' | 'scatter';
      /** How sure the interval is. */
      readonly level: 0.95 | 0.99;
      /** The line that says the same again, without measuring. */
      readonly again?: string;
    }
  | {
      /** Of a running process, by a probe on its step function. */
      readonly way: 'probe';
      readonly symbol: string;
      /** Where simulated seconds come from: the program's own memory, or steps times `timestepS`. */
      readonly timedBy: 'memory' | 'steps';
      readonly timestepS?: number;
      /** CLOCK_MONOTONIC nanoseconds, as text. */
      readonly startNs: string;
      readonly endNs: string;
      readonly windowS: number;
      readonly simS: number;
      readonly stepsPerS: number;
      /** Counted in all of the window; absent where counting would have slowed the loop. */
      readonly steps?: number;
      /** Factor of each whole second. */
      readonly perSecond: readonly number[];
    }
  | {
      /** `clock`: by a subscriber of ours; `clock-log`: as `ros2 topic echo` printed it. */
      readonly way: 'clock' | 'clock-log';
      readonly messages: number;
      readonly windowS: number;
      readonly simS: number;
      /** Simulated seconds in each whole second of the window. */
      readonly perSecond: readonly number[];
      /** Library that the subscriber heard with. */
      readonly via?: string;
    }
  | {
      /** As the simulator printed it. */
      readonly way: 'log';
      readonly title: string;
      readonly lines: { readonly from: number; readonly to: number };
    };

/** The answer of `rtf`. */
export interface Rtf {
  /** What was measured, for a person: a target, a command line, a file. */
  readonly source: string;
  /** The flags that name the process that was measured, as they are typed: `--pid 4711`; absent where none was. */
  readonly target?: string;
  /** Simulated seconds over wall seconds. */
  readonly factor: number;
  /** Its 95 % interval (of runs of different length: `level`); left out where nothing tells how far it may be off. */
  readonly low?: number;
  readonly high?: number;
  /** The real-time factor that it was to keep; left out where the question is how fast it can run. */
  readonly pace?: number;
  readonly measured: RtfMeasured;
  readonly findings: readonly Finding[];
}
