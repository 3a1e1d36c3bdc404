import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { scratch } from '../scratch.js';

/** What an engine answers: an object as JSON, a text as it is, `silence` never, `hang up` ends the connection, `refuse` is an error without words. By method and path, without query and version unless it is given. */
export type Answers = Readonly<Record<string, object | string>>;

/** An engine that cannot be had here, on a socket; gives its path. It ends with the test. */
export async function fakeEngine(answers: Answers): Promise<string> {
  const server: Server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    const answer =
      answers[`${request.method} ${path}`] ?? answers[`${request.method} ${path.replace(/^\/v[\d.]+/, '')}`];
    if (answer === 'silence') return;
    if (answer === 'hang up') return void request.destroy();
    if (answer === 'refuse') return void response.writeHead(500).end();
    if (answer === undefined) response.writeHead(404).end(JSON.stringify({ message: 'page not found' }));
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  const socket = join(scratch(), 'engine.sock');
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return socket;
}
