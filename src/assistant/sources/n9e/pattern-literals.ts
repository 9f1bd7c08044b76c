/**
 * The texts that a pattern fits, where it is nothing but a choice of plain texts: `a\.b|c` → `a.b`, `c`.
 * Undefined for any other pattern.
 */
export function literalsOf(pattern: string): readonly string[] | undefined {
  const texts: string[] = [];
  let text = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    if (char === '|') {
      texts.push(text);
      text = '';
    } else if (char === '\\') {
      at += 1;
      const escaped = pattern.charAt(at);
      // A letter or digit behind a backslash stands for something else.
      if (!/^[^A-Za-z0-9]$/.test(escaped)) return undefined;
      text += escaped;
    } else if (/[\^$.?*+()[\]{}]/.test(char)) return undefined;
    else text += char;
  }
  return [...texts, text];
}
