import { interruptible } from './interrupt.js';
import type { Io } from './io.js';
import { openBrowser } from './open-browser.js';
import { type Exhibit, type ViewServer, startViewServer } from './view-server.js';

/** After the profile the browser may ask for a little more: an icon, a font. */
const LATE_MS = 1500;
/** How long a browser may take to come, where nobody is there who could open one. */
const PATIENCE_MS = 60_000;

export interface Serving {
  readonly exhibit: Exhibit;
  readonly opens: boolean;
  /** Ends once a browser took the profile. */
  readonly once: boolean;
  /** Does not wait for ever for a browser. */
  readonly leaves: boolean;
  /** Says where it is served, before a browser is opened. */
  readonly announce: (server: ViewServer) => Promise<string>;
  readonly patienceMs?: number;
}

/**
 * `shown`: a browser took it, or the user ended what waits for that. `interrupted`: it was to leave by itself, and a signal came before any
 * browser. `unseen`: why none came.
 */
export type ServeEnd =
  | { readonly kind: 'shown' | 'interrupted' }
  | { readonly kind: 'unseen'; readonly why: string };

const SHOWN: ServeEnd = { kind: 'shown' };

/** Serves until Ctrl-C, or as long as `Serving` says. The address that `announce` gives is opened. */
export function serveView(io: Io, serving: Serving): Promise<ServeEnd> {
  const { exhibit, opens, once, leaves, announce, patienceMs = PATIENCE_MS } = serving;
  return interruptible(io, async ({ signal }) => {
    const server = await startViewServer(exhibit);
    try {
      const address = await announce(server);
      return await new Promise<ServeEnd>((resolve) => {
        let isSeen = false;
        const end = (): void => resolve(leaves && !isSeen ? { kind: 'interrupted' } : SHOWN);
        signal.addEventListener('abort', end, { once: true });
        if (signal.aborted) return end();
        const waitForBrowser = async (): Promise<void> => {
          await server.fetched;
          isSeen = true;
          if (!once && !leaves) return;
          await server.quiet(LATE_MS);
          resolve(SHOWN);
        };
        const unseen = (why: string): void => {
          if (isSeen) return;
          if (leaves) resolve({ kind: 'unseen', why });
          else io.err(`No browser could be opened (${why}): open the address above yourself.\n`);
        };
        void waitForBrowser();
        if (opens) void openBrowser(address, io.env['BROWSER'], unseen);
        if (leaves) setTimeout(() => unseen('none came for the profile'), patienceMs).unref();
      });
    } finally {
      await server.close();
    }
  });
}
