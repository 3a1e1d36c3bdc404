import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium; others may name theirs. */
const PROGRAM = process.env['PROFILER_TEST_CHROMIUM'] ?? '/usr/bin/chromium';

export const whyNoBrowser = existsSync(PROGRAM)
  ? undefined
  : 'no Chromium (Debian: apt-get install chromium)';

/** A real browser without a window. Root has no sandbox to offer it. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: PROGRAM,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}
