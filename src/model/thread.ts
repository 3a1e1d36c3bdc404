/** A process above the thread's own, for sources that show the tree. */
export interface ParentProcess {
  readonly pid: number;
  /** Command line. Raw: clean it before printing. */
  readonly command: string;
}

/** A thread of the target, as far as its source tells. */
export interface Thread {
  /** Thread id as the source wrote it: the host's for a recording of ours. */
  readonly tid?: number;
  /** Thread id inside the target's own pid namespace, where it differs. */
  readonly nsTid?: number;
  readonly name?: string;
  /** Process, for sources that hold several. */
  readonly pid?: number;
  /** Command line of the process, for sources that hold several. Raw: clean it before printing. */
  readonly command?: string;
  /** Processes that started this one, outermost first, for sources that show them. */
  readonly parents?: readonly ParentProcess[];
}
