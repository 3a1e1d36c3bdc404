import { cleanText } from '../terminal-text.js';

/** Text that is HTML already. Made by `markup` alone, so that everything else is escaped. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Markup | string | number | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function markupOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'object') return content.map(markupOf).join('');
  return cleanText(String(content)).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/**
 * A piece of HTML. What is put in is text, whatever it holds: markup in a name is shown as it is written, and what is invisible or
 * turns a line around as an escape. Attribute values have to stand in double quotes.
 */
export function markup(pieces: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  const text = pieces.map((piece, at) => `${at === 0 ? '' : markupOf(contents[at - 1])}${piece}`);
  return new Markup(text.join(''));
}
