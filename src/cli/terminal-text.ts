/** Marks that reorder what stands around them, and separators that some terminals take for a line end. */
const REORDERS = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const CONTROLS = /\p{Cc}/gu;
/** Of these, `JSON.stringify` escapes only the first 32 itself. */
const UNESCAPED = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * A text that others have written, for a terminal: without control characters (C0, C1, so no escape
 * sequence) but tab and line feed, and without bidi controls.
 */
export function terminalText(text: string): string {
  return text
    .replace(CONTROLS, (character) => (character === '\n' || character === '\t' ? character : ''))
    .replace(REORDERS, '');
}

/** A line of JSON whose bytes are safe for a terminal too; it still means exactly `value`. */
export function jsonLine(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent).replace(UNESCAPED, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text}\n`;
}
