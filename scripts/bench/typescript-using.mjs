/* oxlint-disable promise/no-callback-in-promise -- as it is written there */
// What TypeScript puts into a file for `using` where the language has none yet (target ES2022): for each block an object with a list.
export function addDisposable(env, value) {
  if (value === null || value === undefined) {
    return value;
  }
  if (typeof value !== 'object' && typeof value !== 'function') throw new TypeError('Object expected.');
  const dispose = value[Symbol.dispose];
  if (typeof dispose !== 'function') throw new TypeError('Object not disposable.');
  env.stack.push({ value, dispose, async: false });
  return value;
}

export function disposeAll(env) {
  function fail(error) {
    env.error = env.hasError
      ? new SuppressedError(error, env.error, 'An error was suppressed during disposal.')
      : error;
    env.hasError = true;
  }
  let last;
  let step = 0;
  function next() {
    while ((last = env.stack.pop())) {
      try {
        if (!last.async && step === 1) {
          step = 0;
          env.stack.push(last);
          return Promise.resolve().then(next);
        }
        if (last.dispose) {
          const result = last.dispose.call(last.value);
          if (last.async) {
            step |= 2;
            return Promise.resolve(result).then(next, (error) => {
              fail(error);
              return next();
            });
          }
        } else step |= 1;
      } catch (error) {
        fail(error);
      }
    }
    if (step === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
    if (env.hasError) throw env.error;
    return undefined;
  }
  return next();
}
