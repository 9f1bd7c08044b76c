import { escapedHidden, withoutHidden } from '../domain/hidden-characters.js';

/**
 * A text that others have written, for a terminal: without anything that a screen hides, so without an
 * escape sequence. Tabs and line feeds stay.
 */
export function terminalText(text: string): string {
  return withoutHidden(text);
}

/** A line of JSON whose bytes are safe for a terminal too; it still means exactly `value`. */
export function jsonLine(value: unknown, indent = 0): string {
  return `${escapedHidden(JSON.stringify(value, null, indent))}\n`;
}
