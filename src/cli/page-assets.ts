import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PageAssets } from '../report/index.js';

/** Style and program of a report page, as the build left them beside this program. */
export async function pageAssets(): Promise<PageAssets> {
  const [style, script] = await Promise.all(
    ['page.css', 'page.js'].map((name) => readFile(new URL(`../page/${name}`, import.meta.url), 'utf8')),
  );
  return {
    style: style ?? '',
    script: script ?? '',
    styleHash: sha256(style ?? ''),
    scriptHash: sha256(script ?? ''),
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
