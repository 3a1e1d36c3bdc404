import type { Finding } from '../model/index.js';
import { cutTrace } from './cut-trace.js';

/** The value of a text that is one JSON document, or as much of a Chrome trace as a crash left; undefined for any other text. */
export function documentOf(
  text: string,
): { readonly document: unknown; readonly finding?: Finding } | undefined {
  // A document begins with a bracket; a log that does is none.
  if (!/^\uFEFF?\s*[[{]/.test(text)) return undefined;
  try {
    return { document: JSON.parse(text.replace(/^\uFEFF/, '')) as unknown };
  } catch {
    return cutTrace(text);
  }
}
