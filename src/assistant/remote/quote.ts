const HIDDEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const LINE_END = /\r\n?|[\u0085\u2028\u2029]/g;

/**
 * Makes a Markdown quotation of a text that comes in pieces: no line of it can pass for one of ours.
 * Characters that reorder or hide text are dropped, and so are blank lines at the beginning and end.
 */
export class QuoteStream {
  private hasBegun = false;
  private lineEnds = 0;

  push(piece: string): string {
    let out = '';
    for (const [index, line] of piece.replace(LINE_END, '\n').split('\n').entries()) {
      if (index > 0) this.lineEnds += 1;
      const shown = line.replace(HIDDEN, (char) => (char === '\t' ? char : ''));
      if (shown === '') continue;
      out += this.hasBegun ? '\n> '.repeat(this.lineEnds) : '> ';
      out += shown;
      this.hasBegun = true;
      this.lineEnds = 0;
    }
    return out;
  }
}

/** The same of a whole text. */
export function quoted(text: string): string {
  return new QuoteStream().push(text);
}
