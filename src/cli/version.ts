import { readFileSync } from 'node:fs';

/** Version of this package, from its manifest. */
export function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return known ? String(manifest.version) : 'unknown';
}
