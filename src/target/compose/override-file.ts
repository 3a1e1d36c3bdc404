/**
 * The smallest additive compose file: it adds capabilities to one service. No `version` key, which v2 warns of and v1 does not need,
 * and no tags, which get lost on the way. Compose appends `cap_add` to what the service has; nothing else is touched.
 */
export function overrideFile(service: string, capabilities: readonly string[]): string {
  const list = capabilities.map((capability) => `      - ${capability}\n`).join('');
  return `services:\n  ${quotedKey(service)}:\n    cap_add:\n${list}`;
}

/** Quoted, since YAML 1.1 reads `on` and `123` as something else; a dollar sign doubled, since Compose would put a variable there. */
export function quotedText(text: string): string {
  return JSON.stringify(text).replaceAll('$', '$$$$');
}

/** A name as the key of a mapping. */
export const quotedKey = quotedText;
