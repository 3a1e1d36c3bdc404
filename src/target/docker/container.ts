/** A container as its engine describes it. Names and paths are raw. */
export interface Container {
  /** 64 hexadecimal digits. */
  readonly id: string;
  /** Without the leading `/`. */
  readonly name: string;
  readonly state: 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead';
  /** Pid of its first process on the engine's machine; 0 where it does not run. */
  readonly pid: number;
  readonly startedAt: string;
  readonly restarts: number;
  readonly restartPolicy: string;
  /** Reference as it was asked for, and the id that it meant then. */
  readonly image: string;
  readonly imageId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `''` for a pid namespace of its own, `host`, or `container:ID`. */
  readonly pidMode: string;
  readonly user: string;
  readonly privileged: boolean;
  readonly readOnlyRoot: boolean;
  readonly capAdd: readonly string[];
  readonly capDrop: readonly string[];
  readonly securityOpt: readonly string[];
  /** Limits that it was given, named as `ulimit`'s long names are: `nofile`. */
  readonly ulimits: readonly Ulimit[];
  /** CPUs that its quota grants; undefined without a quota. */
  readonly cpus?: number;
}

export interface Ulimit {
  readonly name: string;
  readonly soft: number;
  readonly hard: number;
}
