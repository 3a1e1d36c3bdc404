import { type InspectorSession, pendingCalls, type PendingCalls } from './connect.js';
import { type Fields, fieldsOf, parseFields, textOf } from './json.js';

/** One worker thread of the target, with a session of its own inside the main one. */
export interface Worker extends Pick<InspectorSession, 'call'> {
  /** `[worker 1] spin`: as Node calls it. */
  readonly title: string;
}

export interface Workers {
  /** To be called with every event of the main session. */
  readonly onEvent: (method: string, params: Fields) => void;
  /** Attaches to the workers that there are, and to those that come. False where this Node has none of it (before 10.12). */
  readonly enable: (session: Pick<InspectorSession, 'call'>) => Promise<boolean>;
}

/** Sessions of worker threads: the domain NodeWorker. `onWorker` gets each. */
export function workerSessions(onWorker: (worker: Worker) => void): Workers {
  const sessions = new Map<string, PendingCalls>();
  let main: Pick<InspectorSession, 'call'> | undefined;
  const send = (sessionId: string, message: string): void => {
    main?.call('NodeWorker.sendMessageToWorker', { sessionId, message }).catch((error: unknown) => {
      sessions.get(sessionId)?.fail(error instanceof Error ? error.message : 'the worker is gone');
    });
  };
  return {
    enable: async (session) => {
      main = session;
      try {
        await session.call('NodeWorker.enable', { waitForDebuggerOnStart: false });
        return true;
      } catch {
        return false;
      }
    },
    onEvent: (method, params) => {
      const sessionId = textOf(params['sessionId']);
      if (sessionId === undefined) return;
      if (method === 'NodeWorker.attachedToWorker') {
        const calls = pendingCalls((text) => send(sessionId, text));
        sessions.set(sessionId, calls);
        const info = fieldsOf(params['workerInfo']);
        onWorker({ call: calls.call, title: textOf(info?.['title']) ?? `worker ${sessionId}` });
      } else if (method === 'NodeWorker.receivedMessageFromWorker') {
        const message = parseFields(textOf(params['message']) ?? '');
        if (message !== undefined) sessions.get(sessionId)?.answer(message);
      } else if (method === 'NodeWorker.detachedFromWorker') {
        sessions.get(sessionId)?.fail('the worker has ended');
        sessions.delete(sessionId);
      }
    },
  };
}
