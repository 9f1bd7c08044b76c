import { plainText } from '../../domain/hidden-characters.js';

/**
 * Makes a Markdown quotation of a text that comes in pieces: no line of it can pass for one of ours.
 * Characters that reorder or hide text are dropped, and so are blank lines at the beginning and end.
 */
export class QuoteStream {
  private hasBegun = false;
  private lineEnds = 0;

  push(piece: string): string {
    let out = '';
    for (const [index, line] of plainText(piece).split('\n').entries()) {
      if (index > 0) this.lineEnds += 1;
      if (line === '') continue;
      out += this.hasBegun ? '\n> '.repeat(this.lineEnds) : '> ';
      out += line;
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
