import { encodingOf, HEAD_BYTES } from './source-bytes.js';

/** A file's head decoded, whatever it is, without byte order mark. */
export function decodedHead(head: Uint8Array): string {
  return new TextDecoder(encodingOf(head)).decode(head);
}

/** Text of a file's head. Undefined if it is no text. */
export function headText(head: Uint8Array): string | undefined {
  const text = decodedHead(head);
  return text.includes('\0') ? undefined : text;
}

/** Up to 400 lines of a head that may hold data: neither blank nor comments, and no line that the head cuts off. */
export function dataLines(head: Uint8Array): readonly string[] {
  const text = headText(head) ?? '';
  const lines = text.split('\n', 401).map((line) => line.replace(/\r$/, ''));
  const cutOff = lines.length > 1 && lines.length <= 400 && head.length >= HEAD_BYTES;
  const whole = lines.slice(0, cutOff ? -1 : 400);
  return whole.filter((line) => line !== '' && !line.startsWith('#') && line.trim() !== '');
}

/** What a line must end in to be folded text, whether or not the number can be used: `3`, `1.5`, `-3`, `1e3`. */
export function endsInCount(line: string): boolean {
  return /(?:^|\s)[-+]?\d[\d.e+,_-]{0,40}\s{0,8}$/i.test(line.slice(-80));
}

/** A root or a frame in py-spy's spelling. */
export function hasPyspyShape(line: string): boolean {
  return (
    /^process \d+:"/.test(line) ||
    /^thread \((?:0[xX][\da-fA-F]+|\d+|\?)\)(?:[:;]|\s\d+\s*$)/.test(line) ||
    / \((?:[^();]{1,4096}:\d+|[^();]{0,4096}\.(?:py|so|dylib|dll)\b[^();]{0,256}|\?|\[vdso\]|<[^<>();]{1,256}>)\)(?:;|\s+\d+\s*$|$)/.test(
      line,
    )
  );
}
