// One code point of ours for the many ways to write the same mark.
const MARKS = new Map(
  Object.entries({
    '“': '"',
    '”': '"',
    '„': '"',
    '«': '"',
    '»': '"',
    '「': '"',
    '」': '"',
    '『': '"',
    '』': '"',
    '《': '"',
    '》': '"',
    '‘': "'",
    '’': "'",
    '、': ',',
    '。': '。',
    '【': '[',
    '】': ']',
    '–': '-',
    '—': '-',
    '‑': '-',
    '≠': '!=',
    '…': ' ',
  }),
);

// Traditional forms of the characters that our Chinese words are made of, so that one lexicon serves
// both. Pairs: traditional, simplified.
const PAIRS =
  '嚴严警警報报靜静規规則则詳详細细說说請请們们個个條条這这顯显詢询級级別别團团隊队環环節节點点應应務务標标籤签復复沒没幾几過过時时間间內内後后從从來来對对關关於于類类種种總总數数統统計计觸触發发當当現现為为麼么嗎吗啟启機机險险緊紧處处問问題题實实際际樣样歷历檢检測测試试範范圍围還还給给與与屬属離离線线線线誰谁無无長长鐘钟兩两週周題题寫写組组業业區区域域資资據据庫库';
const TRADITIONAL = new Map(
  Array.from(PAIRS.matchAll(/(.)(.)/gu), ([, traditional = '', simplified = '']) => [
    traditional,
    simplified,
  ]),
);

/**
 * The form in which text is compared: full-width forms, quotes and dashes as ASCII, traditional
 * characters as simplified, whitespace as single blanks. The case is kept.
 */
export function normalise(text: string): string {
  // Most label values: nothing to fold.
  if (/^[\x21-\x7e]*$/.test(text)) return text;
  let result = '';
  for (const character of text.replace(/[“”„«»「」『』《》‘’、。【】–—‑≠…]/g, mark)) {
    const folded = character === '。' ? character : character.normalize('NFKC');
    for (const one of folded) result += TRADITIONAL.get(one) ?? one;
  }
  return result.replace(/\s+/g, ' ').trim();
}

/** `normalise` and lower case: the key under which a word or a label value is looked up. */
export function keyOf(text: string): string {
  return normalise(text).toLowerCase();
}

function mark(character: string): string {
  return MARKS.get(character) ?? character;
}

/** Chinese characters, and the kana and hangul that are written without blanks as well. */
export function isHan(character: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(character);
}
