import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewerFiles } from '../../src/cli/view-page.js';
import { PROFILE_NAME, type ViewServer, startViewServer } from '../../src/cli/view-server.js';

const TOKEN = 'a-token_of-this-test';
const PIECES = ['{"a":', '1', '}'];

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

let server: ViewServer;
beforeAll(async () => {
  server = await startViewServer({ token: TOKEN, page: viewerFiles(), profile: () => PIECES });
});
afterAll(() => server.close());

/** What a client gets that may send anything: paths and headers go out as they are. */
function ask(
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

const PAGE = `/${TOKEN}/`;

describe('the server of a view', () => {
  it('gives the page, what it needs and the profile to whoever knows the token', async () => {
    const page = await ask(PAGE);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const [, name] of page.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const { status, headers } = await ask(`${PAGE}${name}`);
      expect([name, status, headers['content-type']]).toEqual([
        name,
        200,
        expect.stringMatching(/^(?:text|image)\//),
      ]);
    }
    expect(await ask(`${PAGE}${PROFILE_NAME}`)).toMatchObject({
      status: 200,
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    });
    await server.fetched;
  });

  it('listens on the loopback address alone', () => {
    expect(server.url).toBe(`http://127.0.0.1:${server.port}${PAGE}`);
  });

  it.each([
    '/',
    '/favicon.ico',
    `/${TOKEN}`,
    '/another-token-of-this/',
    '/a-token_of-this-tesu/',
    `/${TOKEN}x/`,
    `${PAGE}nothing.js`,
    `${PAGE}../../../etc/passwd`,
    `${PAGE}..%2f..%2f..%2fpackage.json`,
    `${PAGE}%2e%2e/package.json`,
    `${PAGE}..`,
    `${PAGE}sub/index.html`,
    `${PAGE}/index.html`,
    `${PAGE}file-format-schema.json`,
    `${PAGE}source-code-pro.LICENSE.md`,
    `${PAGE}constructor`,
    '*',
    'http://evil.example/',
  ])('has nothing at %s', async (path) => {
    const { status, body } = await ask(path);
    expect([status, body]).toEqual([404, 'Not found.\n']);
  });

  it.each([
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.0.0.1:PORT.evil.example',
    '-',
  ])('refuses the host %j, whose name someone made point here', async (host) => {
    const { status, body } = await ask(PAGE, { headers: { Host: host.replace('PORT', `${server.port}`) } });
    expect([status, body]).toEqual([403, 'Not for this host.\n']);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]'])('is the host %s, and its own origin', async (host) => {
    const own = `${host}:${server.port}`;
    const { status } = await ask(PAGE, { headers: { Host: own, Origin: `http://${own}` } });
    expect(status).toBe(200);
  });

  it.each(['http://evil.example', 'null', 'https://127.0.0.1:PORT', 'http://127.0.0.1:1', ''])(
    'refuses the origin %j',
    async (origin) => {
      const headers = { Origin: origin.replace('PORT', `${server.port}`) };
      const { status, body } = await ask(PAGE, { headers });
      expect([status, body]).toEqual([403, 'Not for this origin.\n']);
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('can only be read: no %s', async (method) => {
    const { status, headers } = await ask(`${PAGE}${PROFILE_NAME}`, { method });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it('answers HEAD without content', async () => {
    expect(await ask(PAGE, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect(await ask(`${PAGE}${PROFILE_NAME}`, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  it.each([PAGE, `${PAGE}${PROFILE_NAME}`, '/'])('lets nothing in, out or be kept: %s', async (path) => {
    const { headers } = await ask(path);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy.filter((line) => /https?:|\*|'unsafe-eval'|data:|blob:/.test(line))).toEqual([]);
    expect(policy.filter((line) => line.includes("'unsafe-inline'"))).toEqual([
      "style-src 'self' 'unsafe-inline'",
    ]);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('a profile that is not taken', () => {
  it('is served again: neither HEAD nor a reader that goes away took it', async () => {
    let begun = 0;
    const endless = function* endless(): Generator<string> {
      begun += 1;
      // More than any buffer holds, so that it cannot have been taken.
      for (let piece = 0; piece < (begun === 1 ? 100_000 : 1); piece += 1) yield 'x'.repeat(65_536);
    };
    const other = await startViewServer({ token: TOKEN, page: viewerFiles(), profile: endless });
    let isFetched = false;
    void other.fetched.then(() => (isFetched = true));
    const url = `${other.url}${PROFILE_NAME}`;
    await fetch(url, { method: 'HEAD' });
    const gone = new AbortController();
    const first = await fetch(url, { signal: gone.signal });
    await first.body!.getReader().read();
    gone.abort();
    expect(isFetched).toBe(false);
    expect((await (await fetch(url)).text()).length).toBe(65_536);
    await other.fetched;
    expect(begun).toBe(2);
    await other.close();
  });
});
