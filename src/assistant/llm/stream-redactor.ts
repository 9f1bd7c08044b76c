import type { Redactor } from './redactor.js';

/** A longer word is no word: it goes out as it is, redacted. */
const LONGEST_HELD = 2048;
/** A longer key is none, and no phrase of the configuration is as long. */
const LONGEST_BEGUN = 16 * 1024;

/**
 * Redacts text that comes in pieces. The word that is still being written is held back until it
 * ends, and so is what may be the beginning of a known secret of several words or of a private key: a
 * secret cut into pieces is seen whole.
 */
export class StreamRedactor {
  private held = '';

  constructor(private readonly redactor: Redactor) {}

  /** What may be shown now; often a word behind. */
  push(text: string): string {
    const all = this.held + text;
    // Han and the like are written without spaces, and no secret is made of them.
    const word = all.length > LONGEST_HELD ? all.length : all.length - lastWord(all);
    const cut = all.length > LONGEST_BEGUN ? word : this.redactor.cutAt(all, word);
    // Nor is the word cut in which it begins.
    const end = cut === word ? word : cut - lastWord(all.slice(0, cut));
    this.held = all.slice(end);
    return this.redactor.hide(all.slice(0, end));
  }

  /** The rest. */
  flush(): string {
    const rest = this.held;
    this.held = '';
    return this.redactor.hide(rest);
  }
}

function lastWord(text: string): number {
  let length = 0;
  while (length < text.length) {
    const code = text.charCodeAt(text.length - 1 - length);
    if (code <= 0x20 || code > 0x7e) break;
    length += 1;
  }
  return length;
}
