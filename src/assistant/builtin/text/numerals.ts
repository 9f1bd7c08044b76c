const ENGLISH = new Map(
  ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'].map(
    (word, value) => [word, value] as const,
  ),
);
const MORE: readonly (readonly [string, number])[] = [
  ['eleven', 11],
  ['twelve', 12],
  ['fifteen', 15],
  ['twenty', 20],
  ['thirty', 30],
  ['forty', 40],
  ['sixty', 60],
];
for (const [word, value] of MORE) ENGLISH.set(word, value);

const ORDINALS = new Map(
  [
    'first',
    'second',
    'third',
    'fourth',
    'fifth',
    'sixth',
    'seventh',
    'eighth',
    'ninth',
    'tenth',
  ].map((word, index) => [word, index + 1] as const),
);
const HAN = new Map(
  Array.from('零一二三四五六七八九').map((digit, value) => [digit, value] as const),
);
HAN.set('〇', 0).set('两', 2).set('俩', 2);

/** `12`, `three` → a whole number; undefined for anything else. */
export function numberOf(word: string): number | undefined {
  if (/^\d{1,9}$/.test(word)) return Number(word);
  return ENGLISH.get(word);
}

/** `third`, `3rd`, `#3` → 3. */
export function ordinalOf(word: string): number | undefined {
  const digits = /^(?:#(\d{1,4})|(\d{1,4})(?:st|nd|rd|th))$/.exec(word);
  if (digits !== null) return Number(digits[1] ?? digits[2]);
  return ORDINALS.get(word);
}

/** `三十五`, `十`, `两百`, `一百零五` → a number; undefined when it is none below 10,000. */
export function hanNumber(text: string): number | undefined {
  if (text === '' || Array.from(text).some((c) => !HAN.has(c) && !'十百千'.includes(c))) {
    return undefined;
  }
  let total = 0;
  let digit: number | undefined;
  for (const character of text) {
    const unit = { 十: 10, 百: 100, 千: 1000 }[character];
    if (unit === undefined) {
      // 一二 is no number, 一百零五 is.
      if (digit !== undefined && digit !== 0) return undefined;
      digit = HAN.get(character);
    } else {
      total += (digit ?? 1) * unit;
      digit = undefined;
    }
  }
  return total + (digit ?? 0);
}
