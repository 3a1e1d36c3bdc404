// The DevTools protocol over a WebSocket: https://chromedevtools.github.io/devtools-protocol/v8/, Node's own domains in its src/inspector.
import { get } from 'node:http';
import { WebSocket } from 'ws';
import { type Fields, fieldsOf, parseFields, textOf } from './json.js';

/** Where an inspector listens, as seen from its own network. */
export interface InspectorAddress {
  readonly host: string;
  readonly port: number;
}

export interface InspectorSession {
  /** Result of a method. Rejects with what the inspector says against it, after `patienceMs` without an answer, or when it is gone. */
  readonly call: (method: string, params?: Fields, patienceMs?: number) => Promise<Fields>;
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>;
  readonly close: () => void;
}

export type OnEvent = (method: string, params: Fields) => void;

/** A profile of an hour has some hundred megabytes. */
const LONGEST_MESSAGE = 512 * 1024 * 1024;
const HTTP_PATIENCE_MS = 5000;
const PATIENCE_MS = 5000;
const LONGEST_ANSWER = 1024 * 1024;

/** Text of a page of the inspector's own server: `/json/version`. Rejects where nothing answers. */
export function fetchPage({ host, port }: InspectorAddress, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ host, port, path, timeout: HTTP_PATIENCE_MS, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > LONGEST_ANSWER) request.destroy(new Error('the answer is too long'));
      });
      response.on('end', () => resolve(text));
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error(silent(path, HTTP_PATIENCE_MS))));
    request.on('error', reject);
  });
}

function silent(what: string, patienceMs: number): string {
  return `no answer to ${what} within ${patienceMs / 1000} s`;
}

/** Path of the first thing that can be inspected. */
async function socketPath(address: InspectorAddress): Promise<string> {
  const list: unknown = JSON.parse(await fetchPage(address, '/json/list'));
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  const id = textOf(fieldsOf(first)?.['id']);
  if (id === undefined || !/^[\w-]{1,100}$/.test(id)) throw new Error('the inspector names no target');
  return `/${id}`;
}

function opened(url: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      handshakeTimeout: HTTP_PATIENCE_MS,
      maxPayload: LONGEST_MESSAGE,
      perMessageDeflate: false,
    });
    // Stays: whatever goes wrong later closes the socket, which is what is waited for.
    socket.on('error', reject);
    socket.on('open', () => resolve(socket));
  });
}

/** Connects to an inspector. Rejects where nothing answers, or what answers is none. */
export async function connectInspector(
  address: InspectorAddress,
  onEvent: OnEvent,
): Promise<InspectorSession> {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  const socket = await opened(`ws://${host}:${address.port}${await socketPath(address)}`);
  const calls = pendingCalls((text) => socket.send(text));
  socket.on('message', (data: Buffer) => {
    const message = parseFields(data.toString('utf8'));
    const method = textOf(message?.['method']);
    if (method !== undefined) onEvent(method, fieldsOf(message?.['params']) ?? {});
    else if (message !== undefined) calls.answer(message);
  });
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      calls.fail('the connection to the inspector is gone');
      resolve();
    });
  });
  return { call: calls.call, closed, close: () => socket.terminate() };
}

/** Calls that wait for their answers. */
export interface PendingCalls {
  readonly call: InspectorSession['call'];
  readonly answer: (message: Fields) => void;
  readonly fail: (why: string) => void;
}

/** Numbers calls and finds the answers to them; `send` takes one message as text. */
export function pendingCalls(send: (text: string) => void): PendingCalls {
  const waiting = new Map<
    number,
    { readonly resolve: (result: Fields) => void; readonly reject: (error: Error) => void }
  >();
  let last = 0;
  let gone: string | undefined;
  return {
    call: (method, params = {}, patienceMs = PATIENCE_MS) =>
      new Promise((resolve, reject) => {
        if (gone !== undefined) return reject(new Error(gone));
        last += 1;
        const id = last;
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new Error(silent(method, patienceMs)));
        }, patienceMs);
        const settle =
          <T>(how: (value: T) => void) =>
          (value: T): void => {
            clearTimeout(timer);
            waiting.delete(id);
            how(value);
          };
        waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
        send(JSON.stringify({ id, method, params }));
      }),
    answer: (message) => {
      const call = typeof message['id'] === 'number' ? waiting.get(message['id']) : undefined;
      const error = fieldsOf(message['error']);
      if (error === undefined) call?.resolve(fieldsOf(message['result']) ?? {});
      else call?.reject(new Error(textOf(error['message']) ?? 'the inspector refused'));
    },
    fail: (why) => {
      gone ??= why;
      for (const { reject } of waiting.values()) reject(new Error(why));
    },
  };
}
