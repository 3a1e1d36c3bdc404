/** What a promise comes to, or `undefined` where that takes longer than `ms`: nothing that is to be undone may keep us for ever. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A killed process is gone at once, unless something holds it that a signal does not reach, such as a frozen control group. */
export const KILLED_MS = 3000;

/** An engine that still answers removes a file or a container within this. */
export const REMOVED_MS = 15_000;
