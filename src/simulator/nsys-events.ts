/** What nsys recorded, event by event. Times are nanoseconds since the first of them; what a file does not say is left out. */
export interface NsysEvent {
  readonly name: string;
  readonly startNs: number;
  readonly endNs: number;
}

/** Work of the GPU: a kernel, a copy, a memset, or a whole graph where its kernels were not recorded. */
export interface DeviceEvent extends NsysEvent {
  readonly kind: 'kernel' | 'copy' | 'set' | 'graph';
  /** The call of the host that started it; all kernels of a graph have that of its launch. */
  readonly launch?: number;
  readonly device?: number;
  readonly bytes?: number;
}

/** A call of CUDA on the host. */
export interface HostCall extends NsysEvent {
  readonly launch?: number;
  readonly thread?: number;
}

export interface NvtxRange extends NsysEvent {
  readonly style?: 'PushPop' | 'StartEnd';
  readonly thread?: number;
}

export type NsysKind = 'kernels' | 'memory' | 'graphs' | 'calls' | 'waits' | 'ranges' | 'os';

export interface NsysEvents {
  readonly device: readonly DeviceEvent[];
  readonly calls: readonly HostCall[];
  readonly ranges: readonly NvtxRange[];
  readonly os: readonly NsysEvent[];
  /** Names of the GPUs. */
  readonly gpus: readonly string[];
  /** The kinds of events that the file has a table for. */
  readonly has: ReadonlySet<NsysKind>;
  /** Without both ends, or with ends in the wrong order. */
  readonly unreadable: number;
}
