export type Decision = 'yes' | 'no';

const YES =
  /^(?:y|yes|yes,? please|yes,? do it|yep|ok|okay|approve[d]?|confirm(?:ed)?|go ahead|do it|是|是的|好|好的|可以|确认|同意|批准|执行)[\s.!。！]*$/iu;
const NO =
  /^(?:n|no|no,? thanks|nope|never mind|nevermind|forget it|leave it|reject(?:ed)?|deny|denied|cancel|stop|don'?t|do not|否|不|不要|不要了|不用|不用了|不必|不必了|不需要|不了|先不|先不了|算了|算了吧|还是算了|那算了|别|别了|不行|不可以|取消|拒绝|不同意)[\s.!。！]*$/iu;
/** What a dangerous write is approved by: a word and the beginning of its plan's hash. */
const PHRASE = /^(?:approve|批准)\s?([0-9a-f]{6})[.!。！]?$/iu;

/**
 * An unambiguous answer to a question for approval; undefined for anything else.
 * @param code when the plan wants an exact phrase: the code that the phrase must name. A mere yes is
 * then no answer.
 */
export function decisionOf(text: string, code?: string): Decision | undefined {
  const said = text.trim();
  if (NO.test(said)) return 'no';
  if (code === undefined) return YES.test(said) ? 'yes' : undefined;
  return PHRASE.exec(said)?.[1]?.toLowerCase() === code ? 'yes' : undefined;
}

const LEAVING =
  /^(?:cancel|never ?mind|forget (?:about )?it|drop (?:it|the question)|取消|算了|算了吧|不用了|不问了|作罢)[\s.!。！]*$/iu;

/** Does it drop a question that wants a text, rather than answer it? */
export function isLeaving(text: string): boolean {
  return LEAVING.test(text.trim());
}

/** Does it sound like an answer to a question for approval, whichever? */
export function isDecision(text: string): boolean {
  return decisionOf(text) !== undefined || PHRASE.test(text.trim());
}
