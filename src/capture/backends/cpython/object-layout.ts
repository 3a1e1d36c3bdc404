/** Where one version of CPython keeps what leads to the names of its threads and tasks: offsets and sizes in bytes. */
export interface ObjectLayout {
  /** `modules`: what `sys.modules` is. */
  readonly interpreter: { readonly modules: number };
  readonly module: { readonly dict: number };
  readonly type: {
    readonly basicSize: number;
    readonly flags: number;
    readonly dictOffset: number;
    readonly base: number;
    /** Keys that the attributes of its instances share. */
    readonly sharedKeys: number;
  };
  /** `values`: 0 there, or the values of keys that are shared. */
  readonly dict: { readonly keys: number; readonly values: number };
  readonly keys: {
    /** Up to 3.10: slots of the hash table. */
    readonly size?: number;
    /** From 3.11 on: the binary logarithm of its bytes, one byte; what entries look like, one byte. */
    readonly logIndexBytes?: number;
    readonly kind?: number;
    /** Entries, deleted ones with them. */
    readonly count: number;
    /** The hash table, behind which the entries lie. */
    readonly indices: number;
  };
  readonly instance: {
    /** From 3.11 on, how far before an instance the pointer to its dict lies; 3.12: or, tagged, to its values. */
    readonly dictBefore?: number;
    /** 3.11: and the one to its values. */
    readonly valuesBefore?: number;
    /** From 3.13 on values may lie behind the instance: 1 there while they count. */
    readonly valid?: number;
    readonly firstValue: number;
  };
  /** `int`: `size` up to 3.11, negative for negative numbers; then `tag`, digits and sign in one. */
  readonly integer: { readonly size?: number; readonly tag?: number; readonly digits: number };
  /** Coroutines are generators: up to 3.10 a pointer to the frame, from 3.11 on the frame itself. */
  readonly generator: { readonly frame?: number; readonly ownFrame?: number };
}
