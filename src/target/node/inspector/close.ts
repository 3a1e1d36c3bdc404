import { connectInspector, fetchPage, type InspectorAddress } from './connect.js';

const PATIENCE_MS = 5000;

/** Has the target close its inspector, and waits until it has. Rejects where it does not. */
export async function closeInspector(address: InspectorAddress): Promise<void> {
  const session = await connectInspector(address, () => undefined);
  // The answer never comes: the target stands still until the connection is gone, which is ended as soon as it says so.
  session
    .call('Runtime.evaluate', {
      expression:
        "typeof process._debugEnd === 'function' ? process._debugEnd() : (0, require)('inspector').close()",
      includeCommandLineAPI: true,
      silent: true,
    })
    .catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), PATIENCE_MS);
  });
  const end = await Promise.race([session.closed, late]);
  clearTimeout(timer);
  session.close();
  if (end === 'late') throw new Error(`it did not close within ${PATIENCE_MS / 1000} s`);
}

/** Version of the Node that answers: `v20.20.2`. Undefined where what answers is no Node; rejects where nothing does. */
export async function inspectorVersion(address: InspectorAddress): Promise<string | undefined> {
  const text = await fetchPage(address, '/json/version');
  return /"Browser":\s*"node\.js\/(v[^"\s]{1,40})"/.exec(text)?.[1];
}

/** Whether the JavaScript of the target answers, and how it calls its version. Rejects where it does not. */
export async function askTarget(address: InspectorAddress): Promise<void> {
  const session = await connectInspector(address, () => undefined);
  try {
    await session.call('Runtime.evaluate', { expression: '1', returnByValue: true, silent: true });
  } finally {
    session.close();
  }
}
