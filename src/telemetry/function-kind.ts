// What kind a function is can be told before it is called only by its constructor; a plain one may still return a promise.
const ASYNC = (async (): Promise<void> => {}).constructor;
const GENERATOR = function* (): Generator<undefined> {}.constructor;
const ASYNC_GENERATOR = async function* (): AsyncGenerator<undefined> {}.constructor;

export function isAsyncFunction(fn: unknown): boolean {
  return constructorOf(fn) === ASYNC;
}

export function isGenerator(fn: unknown): boolean {
  return constructorOf(fn) === GENERATOR;
}

export function isAsyncGenerator(fn: unknown): boolean {
  return constructorOf(fn) === ASYNC_GENERATOR;
}

function constructorOf(fn: unknown): unknown {
  return typeof fn === 'function' ? fn.constructor : undefined;
}
