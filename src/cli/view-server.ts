import { timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ProfilerError, errorReason } from '../model/index.js';
import type { PageFile } from './view-page.js';

/** What is served, all of it below one path that cannot be guessed. */
export interface Exhibit {
  /** Random: whoever does not know it is told nothing. */
  readonly token: string;
  readonly page: ReadonlyMap<string, PageFile>;
  /** The profile in pieces, made anew for each request. */
  readonly profile: () => Iterable<string>;
  /** Its name below the token, `PROFILE_NAME` where it is left out. */
  readonly profileName?: string;
}

export interface ViewServer {
  readonly port: number;
  /** Address of the page without a fragment: `http://127.0.0.1:41233/TOKEN/`. */
  readonly url: string;
  /** Settled when a browser has taken the whole profile for the first time. */
  readonly fetched: Promise<void>;
  /** Waits until nothing was asked for that long. */
  readonly quiet: (forMs: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Name of the profile below the token; the viewer tells the format by its end. */
export const PROFILE_NAME = 'profile.speedscope.json';
/** The same of a trace of Chrome. */
export const TRACE_NAME = 'profile.trace.json';

/**
 * Nothing may be loaded from anywhere else, and the page may send nothing anywhere else. Speedscope's styles are written into the page by
 * its script, and its demangler of C++ names is WebAssembly.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

function nobody(): void {
  // Until someone listens.
}

/**
 * Serves the viewer to this machine alone, on a free port of its loopback address, to be read and nothing else.
 * @throws ProfilerError `no-port`.
 */
export async function startViewServer(exhibit: Exhibit): Promise<ViewServer> {
  let tellFetched = nobody;
  const fetched = new Promise<void>((resolve) => {
    tellFetched = resolve;
  });
  let active = 0;
  let lastMs = performance.now();
  const server = createServer((request, response) => {
    active += 1;
    response.once('close', () => {
      active -= 1;
      lastMs = performance.now();
    });
    void answerRequest(exhibit, portOf(server), request, response, tellFetched);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  }).catch((error: unknown) => {
    throw new ProfilerError({
      id: 'no-port',
      what: `No port of 127.0.0.1 could be opened (${errorReason(error)}).`,
      why: 'The system refuses it, or this machine has no loopback address.',
      fix: 'profiler view -o FILE',
    });
  });
  const port = portOf(server);
  return {
    port,
    url: `http://127.0.0.1:${port}/${exhibit.token}/`,
    fetched,
    quiet: async (forMs) => {
      for (;;) {
        const leftMs = active > 0 ? forMs : lastMs + forMs - performance.now();
        if (leftMs <= 0) return;
        await new Promise((resolve) => setTimeout(resolve, leftMs).unref());
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function answerRequest(
  exhibit: Exhibit,
  port: number,
  request: IncomingMessage,
  response: ServerResponse,
  tellFetched: () => void,
): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  const refuse = (status: number, text: string): void => {
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(`${text}\n`);
  };
  // A name that another site made point here is not ours, and neither is a page of another site.
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  const { host, origin } = request.headers;
  if (host === undefined || !hosts.includes(host)) return refuse(403, 'Not for this host.');
  if (origin !== undefined && !hosts.some((one) => origin === `http://${one}`))
    return refuse(403, 'Not for this origin.');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return refuse(405, 'Only to be read.');
  }
  const name = nameBelow(exhibit.token, request.url ?? '');
  const isProfile = name === (exhibit.profileName ?? PROFILE_NAME);
  const file = name === undefined ? undefined : exhibit.page.get(name === '' ? 'index.html' : name);
  if (!isProfile && file === undefined) return refuse(404, 'Not found.');
  const { type, content } = file ?? { type: 'application/json', content: undefined };
  response.writeHead(200, {
    'Content-Type': type,
    ...(content === undefined ? {} : { 'Content-Length': content.length }),
  });
  if (request.method === 'HEAD') return void response.end();
  if (content !== undefined) return void response.end(content);
  try {
    await pipeline(Readable.from(inChunks(exhibit.profile()), { objectMode: false }), response);
    tellFetched();
  } catch {
    // The reader went away; it may come again.
  }
}

/** File name of a path below the token; undefined for every other path. Names are compared as they are: nothing is decoded. */
function nameBelow(token: string, url: string): string | undefined {
  const [, given, name] = /^\/([\w-]+)\/([\w.-]*)(?:\?.*)?$/.exec(url) ?? [];
  if (given === undefined || given.length !== token.length) return undefined;
  return timingSafeEqual(Buffer.from(given), Buffer.from(token)) ? name : undefined;
}

const CHUNK = 65_536;

function* inChunks(pieces: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}
