/**
 * A name for the file of another program's viewer. What a text of Unicode cannot hold (half a surrogate pair) becomes the replacement
 * character, and control characters the picture that Unicode has of them: a NUL ends a name where a viewer is written in C, and half a
 * pair is no UTF-8.
 */
export function viewerName(name: string): string {
  return name
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/\p{Control}/gu, (character) => pictureOf(character.charCodeAt(0)));
}

function pictureOf(code: number): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\uFFFD';
}
