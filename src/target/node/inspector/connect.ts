// The DevTools protocol over a WebSocket: https://chromedevtools.github.io/devtools-protocol/v8/, Node's own domains in its src/inspector.
import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import type { Socket } from 'node:net';
import { encodeFrame, frameReader, type Message } from './frames.js';
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

function upgrade({ host, port }: InspectorAddress, path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = get({
      host,
      port,
      path,
      agent: false,
      timeout: HTTP_PATIENCE_MS,
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      },
    });
    request.on('upgrade', (_response, socket: Socket, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      socket.setTimeout(0);
      socket.setNoDelay(true);
      resolve(socket);
    });
    request.on('response', (response) => {
      response.destroy();
      reject(new Error(`the inspector refused (${response.statusCode ?? 'no status'})`));
    });
    request.on('timeout', () => request.destroy(new Error(silent('the connection', HTTP_PATIENCE_MS))));
    request.on('error', reject);
  });
}

/** Connects to an inspector. Rejects where nothing answers, or what answers is none. */
export async function connectInspector(
  address: InspectorAddress,
  onEvent: OnEvent,
): Promise<InspectorSession> {
  const socket = await upgrade(address, await socketPath(address));
  const reader = frameReader(LONGEST_MESSAGE);
  const calls = pendingCalls((text) => socket.write(encodeFrame('text', Buffer.from(text))));
  const take = ({ opcode, content }: Message): void => {
    if (opcode === 'ping') socket.write(encodeFrame('pong', content));
    // Whoever closes its inspector stands still until we have hung up: at once, then.
    if (opcode === 'close') socket.destroy();
    if (opcode !== 'text') return;
    const message = parseFields(content.toString('utf8'));
    const method = textOf(message?.['method']);
    if (method !== undefined) onEvent(method, fieldsOf(message?.['params']) ?? {});
    else if (message !== undefined) calls.answer(message);
  };
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      calls.fail('the connection to the inspector is gone');
      resolve();
    });
  });
  socket.on('error', () => socket.destroy());
  socket.on('end', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const message of reader.take(chunk)) take(message);
    } catch {
      socket.destroy();
    }
  });
  return { call: calls.call, closed, close: () => socket.destroy() };
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
