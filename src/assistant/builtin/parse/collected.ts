import { Joiner } from './join-clauses.js';
import type { Note, Unmatched } from './conditions.types.js';
import type { Segment } from './segment.js';
import type { Sentence } from './sentence.js';

/** Words whose exclusion goes on over `and`; that of a plain `not` does not. */
const EXCEPTION =
  /^(?:except|unless|bar$|barring|omit|save for|but for|sans|leave out|filter|with the ex|and without|but without|exclud|other than|apart|beside|aside|ignor|minus|leaving|all but|everything but|without|除|排除|不包|不含|剔除|刨除|去掉|去除|抛开|撇开)/;

/** What has been read of the conditions so far. */
export class Collected {
  readonly joiner = new Joiner();
  readonly unmatched: Unmatched[] = [];
  readonly ignored: string[] = [];
  readonly unsure: string[] = [];
  readonly notes: Note[] = [];
  /** Hints that a value has taken. */
  readonly claimed = new Set<Segment>();
  /** Segments that were read as values. */
  readonly used = new Set<Segment>();
  /** Those of them that are excluded. */
  readonly excluded = new Set<Segment>();
  sure = 0;
  /** Where an exception such as `except a` ends: what `and` joins to it there is excepted too. */
  private exceptionEnd: number | undefined;

  constructor(private readonly sentence: Sentence) {}

  /**
   * Is the condition from `start` to before `end` negative, by itself or as part of an exception
   * that is going on?
   */
  negated(isNegated: boolean, start: number, end: number): boolean {
    const goesOn = this.exceptionEnd === start - 1 && this.sentence.has(start - 1, 'and', 'or');
    const negative = isNegated || goesOn;
    const before = this.sentence.at(start - 1);
    const isException = before !== undefined && EXCEPTION.test(before.key);
    this.exceptionEnd = negative && (isException || goesOn) ? end : undefined;
    return negative;
  }

  /** A condition on something that nothing live has. */
  miss(text: string, near: readonly string[], negative: boolean, hasAlternative = false): void {
    if (negative) this.notes.push({ kind: 'nothing-excluded', typed: text });
    else if (hasAlternative) this.notes.push({ kind: 'no-such-alternative', typed: text });
    else this.unmatched.push({ text, near });
  }
}
