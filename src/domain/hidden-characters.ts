/**
 * What a screen does not show, or shows elsewhere than it stands: control characters but line feed and
 * tab, bidi controls, zero-width and other ignorable ones, tags, separators that only some screens take
 * for a line end, halves of surrogate pairs, blanks that are no white space. Not among them: what colours
 * an emoji or a keycap (U+FE0F behind one) or joins two, and the signs of Arabic, Syriac and Kaithi that are format characters by their class alone (Unicode 16, 9.2).
 */
const HIDDEN =
  /(?![\n\t\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]|(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic})\ufe0f|\ufe0f(?=\u20e3))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/u;
const EVERY = new RegExp(HIDDEN.source, 'gu');
const LINE_END = /\r\n?|[\u0085\u2028\u2029]/g;

/** The first of a text, or undefined: then the text is what it looks like. */
export function hiddenIn(text: string): string | undefined {
  return HIDDEN.exec(text)?.[0];
}

/** The text with each of them replaced. */
export function withoutHidden(text: string, by = ''): string {
  return text.replace(EVERY, by);
}

/** The text without them, whose line ends of every kind are line feeds. */
export function plainText(text: string): string {
  return withoutHidden(text.replace(LINE_END, '\n'));
}

/** JSON that means the same, each of them written as `\uXXXX`. */
export function escapedHidden(json: string): string {
  return json.replace(EVERY, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}
