import type { JsonValue } from '../../domain/a2a.js';

export const HIDDEN = '[redacted]';

/** A shorter secret stands in too many innocent words to be looked for. */
const SHORTEST_SECRET = 6;

/** What a key or token of a well-known kind looks like. Every repetition is of one class of characters. */
const TOKENS = new RegExp(
  [
    '-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)',
    '\\bsk-[\\w-]{16,}',
    '\\b[srp]k_(?:live|test)_\\w{10,}',
    '\\bgh[pousr]_\\w{20,}',
    '\\bgithub_pat_\\w{20,}',
    '\\bglpat-[\\w-]{16,}',
    '\\bxox[a-z]-[\\w-]{10,}',
    '\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b',
    '\\bAIza[\\w-]{30,}',
    '\\bhvs\\.[\\w-]{20,}',
    '\\bnj_[\\w-]{20,}',
    '\\beyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*)?',
    // The beginning of one, where a text was cut.
    '(?<![\\w-])(?:sk-|[srp]k_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|hvs\\.|nj_|eyJ)[\\w.-]{4,}(?=…)',
  ].join('|'),
  'g',
);
/** A private key, or as much of one as there is. */
const KEY =
  /^-----BEGIN [A-Z ]{0,40}(?:-{0,5}$|PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,40}-----|$))/;
const KEY_END = /-----END [A-Z ]{0,40}-----$/;
const SCHEME = /\b(Bearer|Basic)(\s{1,3})([\w.~+/=-]{12,})/gi;
const USERINFO = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#\s"'<>@]{1,256}@/gi;
const SEPARATOR = String.raw`(\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)`;
const VALUE = String.raw`([^\s"'\\,;&}]{4,})`;
const NAME =
  'pass(?:word|wd|phrase)|pwd|api[_-]?key|access[_-]?key(?:[_-]?id)?|secret[_-]?key|client[_-]?secret|(?:auth|access|refresh|id)[_-]?token|private[_-]?key';
const NAMED = new RegExp(`(?<![a-z])(${NAME})${SEPARATOR}${VALUE}`, 'gi');
/** Hidden before, in an address too. */
const DONE = /^(?:\[redacted\]|%5Bredacted%5D)/i;
const SECRET_FIELD = new RegExp(`(?:^|[^a-z])(?:${NAME})$`, 'i');
/** `secret` and `token` are also labels of Kubernetes and words of prose: only a random value counts. */
const WEAKLY_NAMED = new RegExp(`(?<![a-z])(secret|token)${SEPARATOR}${VALUE}`, 'gi');

/**
 * Takes secrets out of text: those it is told, in the forms in which they are written down, and what
 * looks like a key or a token. What is left is safe to show, to log and to give to a model, as far as
 * that can be known from the text alone.
 */
export class Redactor {
  /** Longest first: one may hold another. */
  private readonly needles: readonly string[];
  /** Of these, those that are no single word. */
  private readonly phrases: readonly string[];

  constructor(secrets: readonly string[]) {
    const forms = secrets
      .filter((secret) => secret.length >= SHORTEST_SECRET)
      .flatMap((secret) => [
        secret,
        JSON.stringify(secret).slice(1, -1),
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64').replace(/=+$/, ''),
      ]);
    this.needles = [...new Set(forms)].sort((a, b) => b.length - a.length);
    this.phrases = this.needles.filter((needle) => /[^\x21-\x7e]/.test(needle));
  }

  hide(text: string): string {
    let shown = text;
    for (const needle of this.needles) {
      if (shown.includes(needle)) shown = shown.replaceAll(needle, HIDDEN);
    }
    if (this.needles.length > 0 && shown.includes('…')) shown = this.hideCutOff(shown);
    return shown
      .replace(TOKENS, HIDDEN)
      .replace(USERINFO, '$1')
      .replace(SCHEME, (whole, scheme: string, gap: string, value: string) =>
        looksRandom(value) ? scheme + gap + HIDDEN : whole,
      )
      .replace(NAMED, (whole, name: string, separator: string, value: string) => {
        const isProse = separator.trim() === ':' && /^[a-z]+[.!?]?$/.test(value);
        return isProse || DONE.test(value) ? whole : name + separator + HIDDEN;
      })
      .replace(WEAKLY_NAMED, (whole, name: string, separator: string, value: string) =>
        value.length >= 16 && looksRandom(value) ? name + separator + HIDDEN : whole,
      );
  }

  /** The same document with every text in it redacted, names of fields too. */
  hideIn(value: JsonValue): JsonValue {
    return this.hideEvery(value) as JsonValue;
  }

  /**
   * The same for any plain document; one without a prototype, in which any name may be looked up, stays
   * so.
   * @param hide what is done to each text.
   */
  hideEvery(value: unknown, hide = (text: string): string => this.hide(text)): unknown {
    if (typeof value === 'string') return hide(value);
    if (Array.isArray(value)) return value.map((item: unknown) => this.hideEvery(item, hide));
    if (typeof value !== 'object' || value === null) return value;
    const shown: unknown = Object.fromEntries(
      Object.entries(value).map(([key, item]: [string, unknown]) => {
        const isSecret = typeof item === 'string' && item.length >= 4 && SECRET_FIELD.test(key);
        return [hide(key), isSecret ? HIDDEN : this.hideEvery(item, hide)];
      }),
    );
    return Object.getPrototypeOf(value) === null ? Object.setPrototypeOf(shown, null) : shown;
  }

  /** Whether a known secret stands in these bytes as it is; for files that are no text. */
  isIn(bytes: Buffer): boolean {
    return this.needles.some((needle) => bytes.includes(needle));
  }

  /**
   * The last place up to `end` where the text may be cut, and go on later, without cutting a private key
   * or a known secret of several words, be it whole or only begun.
   */
  cutAt(text: string, end: number): number {
    const begin = text.lastIndexOf('-----BEGIN ', end);
    const [key] = (begin < 0 ? undefined : KEY.exec(text.slice(begin))) ?? [];
    const isCut = key !== undefined && (begin + key.length > end || !KEY_END.test(key));
    const cut = Math.min(
      isCut ? begin : end,
      ...this.phrases.map((phrase) => beginOf(phrase, text, end)),
    );
    // One may end with what begins another.
    return cut === end ? end : this.cutAt(text, cut);
  }

  /** A source's text may have been cut in the middle of a secret: `…` then follows its beginning. */
  private hideCutOff(text: string): string {
    const pieces = text.split('…');
    const last = pieces.pop() ?? '';
    return [...pieces.map((piece) => this.withoutBeginning(piece)), last].join('…');
  }

  private withoutBeginning(piece: string): string {
    for (const needle of this.needles) {
      for (let length = needle.length - 1; length >= SHORTEST_SECRET; length -= 1) {
        if (piece.endsWith(needle.slice(0, length))) return piece.slice(0, -length) + HIDDEN;
      }
    }
    return piece;
  }
}

/** Where a phrase begins that goes on behind `end`, as far as the text goes; else `end`. */
function beginOf(phrase: string, text: string, end: number): number {
  for (let at = Math.max(0, end - phrase.length + 1); at < end; at += 1) {
    const whole = text.slice(at, at + phrase.length);
    if (phrase.startsWith(whole)) return at;
  }
  return end;
}

/** Letters and digits mixed, as no word of a language has them. */
export function looksRandom(value: string): boolean {
  return /\d/.test(value) && /[a-z]/i.test(value);
}
