import type { ErrorCode } from 'yaml';

const FAULTS: Partial<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias (*name) can have no anchor or tag of its own',
  BAD_ALIAS: 'the name of an anchor or alias is missing or wrong',
  BAD_COLLECTION_TYPE: 'a tag does not fit its value',
  BAD_DIRECTIVE: 'a % line is not understood',
  BAD_DQ_ESCAPE: 'a backslash in "…" does not begin a known escape; in single quotes it stands for itself',
  BAD_INDENT: 'the indentation is wrong, or a bracket is not closed',
  BAD_PROP_ORDER: 'an anchor or tag stands in the wrong place',
  BAD_SCALAR_START: 'a text begins with a sign that needs quotes around it',
  BLOCK_AS_IMPLICIT_KEY: 'a colon stands where a value was expected; a text with a colon needs quotes',
  DUPLICATE_KEY: 'the same field comes twice',
  KEY_OVER_1024_CHARS: 'a field name is longer than 1024 characters',
  MISSING_CHAR: 'a quote, bracket, comma or space is missing',
  MULTILINE_IMPLICIT_KEY: 'a field name runs over several lines; a quote or colon may be missing',
  MULTIPLE_ANCHORS: 'a value has two anchors',
  MULTIPLE_DOCS: 'the file holds several documents (---); a pack is one',
  MULTIPLE_TAGS: 'a value has two tags',
  NON_STRING_KEY: 'a field name must be text',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply',
  TAB_AS_INDENT: 'a tab is used for indentation; take spaces',
  TAG_RESOLVE_FAILED: 'a tag (!name) is not known; leave it out',
  UNEXPECTED_TOKEN: 'this sign is not expected here',
};

/** What is wrong with a text that is no YAML, in our words: the library's are for programmers. */
export function yamlFault(code: ErrorCode): string {
  return FAULTS[code] ?? 'this is no valid YAML';
}

/** What an error means that came while aliases were filled in. */
export function aliasFault(error: unknown): string {
  if (error instanceof RangeError) return 'the file is nested too deeply';
  return error instanceof ReferenceError && error.message.startsWith('Unresolved')
    ? 'an alias (*name) has no anchor (&name) before it'
    : 'its aliases (*name) stand for too much text';
}
