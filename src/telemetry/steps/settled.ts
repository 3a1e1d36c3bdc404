/**
 * Calls `end` when a result is there: at once, or when its promise settles. What it hands back is what the program would have had: the same
 * value, the same error, and a rejection that nobody handles is still one.
 *
 * Only a plain promise can be followed without changing anything. Other objects with a `then` may be more than that (a query that runs only
 * when it is awaited, a child process that is a promise too): they are handed back as they are, and `end` is called at once, unless
 * `isAdopted`, where the caller would only await them.
 */
export function whenSettled<Result>(result: Result, isAdopted: boolean, end: () => void): Result {
  if (isPlainPromise(result)) return followed(result, end) as Result;
  if (isAdopted && isThenable(result)) return followed(Promise.resolve(result), end) as Result;
  end();
  return result;
}

function followed(promise: Promise<unknown>, end: () => void): Promise<unknown> {
  return promise.then(
    (value) => {
      end();
      return value;
    },
    (error: unknown) => {
      end();
      throw error;
    },
  );
}

function isPlainPromise(value: unknown): value is Promise<unknown> {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Promise.prototype)
    return false;
  // Node keeps what belongs to its async hooks in symbols. Anything else somebody has put there.
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return !Object.hasOwn(value, 'then');
}

function isThenable(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  try {
    return typeof (value as { readonly then?: unknown }).then === 'function';
  } catch {
    return false;
  }
}
