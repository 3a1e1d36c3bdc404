/** How one version keeps the attributes of an object of a Python class (Objects/dictobject.c): offsets in bytes. */
export interface AttributeLayout {
  readonly type: { readonly flags: number; readonly dictOffset: number; readonly sharedKeys: number };
  readonly dict: { readonly keys: number; readonly values: number };
  readonly keys: {
    /** Up to 3.10: entries of the index. Later the size of the index in bytes, as a power of 2, and what the entries hold. */
    readonly size?: number;
    readonly log2IndexBytes?: number;
    readonly kind?: number;
    readonly count: number;
    readonly indices: number;
  };
  readonly values: { readonly first: number; readonly valid?: number };
  /** From 3.11 on, from the object: its dictionary, and its values without one; in 3.12 both share a place. */
  readonly managed?: { readonly dict: number; readonly values?: number; readonly inlineValues?: number };
}
