/**
 * MCP clients refuse tool results over 25,000 tokens. A result carries its text twice, as a text
 * block and in structuredContent, so each copy stays below half of that with room for the rest.
 */
export const ANSWER_TOKENS = 12_000;

/**
 * Hundredths of a token, on the safe side: label sets and numbers reach 2.5 characters a token, and
 * a Chinese character or an emoji can take more than one.
 */
const ASCII_COST = 40;
const OTHER_COST = 150;

/** The text, cut behind its last full line within the bound; `note` then stands under it. */
export function boundedAnswer(text: string, note: string, tokens = ANSWER_TOKENS): string {
  const end = affordable(text, tokens * 100);
  if (end === text.length) return text;
  const head = text.slice(0, end);
  const line = head.lastIndexOf('\n');
  // A last line that is most of the text (one long line) is cut where it is.
  const kept = line > head.length / 2 ? head.slice(0, line) : head;
  return `${kept}\n\n${note}`;
}

/** True for a text that a result may carry twice. */
export function fitsAnswer(text: string): boolean {
  return affordable(text, ANSWER_TOKENS * 100) === text.length;
}

/** How many UTF-16 units of the text fit, never between the halves of a surrogate pair. */
function affordable(text: string, budget: number): number {
  let cost = 0;
  let end = 0;
  for (const character of text) {
    cost += character.charCodeAt(0) < 0x80 ? ASCII_COST : OTHER_COST;
    if (cost > budget) return end;
    end += character.length;
  }
  return end;
}
