const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  rarr: '→',
  larr: '←',
};
/** What is in there is no text for people, or not the page's own. */
const SKIPPED = [
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'head',
  'nav',
  'footer',
  'iframe',
];
const BLOCKS =
  /^(?:p|div|section|article|main|header|aside|h[1-6]|ul|ol|li|dl|dt|dd|pre|table|tr|blockquote|br|hr|figure|details|summary)$/;

/** The visible text of a page, a line for each block; in one pass, whatever the page holds. */
export function htmlText(html: string): { readonly title: string; readonly text: string } {
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1] ?? '';
  const out: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    out.push(decoded(html.slice(at, open === -1 ? html.length : open)));
    if (open === -1) break;
    at = afterTag(html, open, out);
  }
  const lines = out
    .join('')
    .split('\n')
    .map((line) => line.replace(/[ \t\r\f\v\u00a0]+/g, ' ').trim());
  const kept = lines.filter((line, index) => line !== '' || lines[index - 1] !== '');
  return { title: decoded(title).replace(/\s+/g, ' ').trim(), text: kept.join('\n').trim() };
}

/** Puts out what the tag at `open` means for the text. @returns where reading goes on. */
function afterTag(html: string, open: number, out: string[]): number {
  if (html.startsWith('<!--', open)) return past(html, '-->', open);
  const name = /^<\/?([a-z][a-z0-9-]{0,20})/i.exec(html.slice(open, open + 24))?.[1]?.toLowerCase();
  if (name === undefined) {
    if (html[open + 1] === '!' || html[open + 1] === '?') return past(html, '>', open);
    out.push('<');
    return open + 1;
  }
  const isOpening = html[open + 1] !== '/';
  const end = past(html, '>', open);
  if (isOpening && SKIPPED.includes(name) && html[end - 2] !== '/') {
    const closing = new RegExp(`</${name}\\s*>`, 'gi');
    closing.lastIndex = end;
    const match = closing.exec(html);
    return match === null ? html.length : match.index + match[0].length;
  }
  if (BLOCKS.test(name)) out.push('\n');
  if (isOpening && /^h[1-6]$/.test(name)) out.push(`${'#'.repeat(Number(name[1]))} `);
  if (isOpening && name === 'li') out.push('- ');
  if (name === 'td' || name === 'th') out.push(' ');
  return end;
}

function past(html: string, mark: string, from: number): number {
  const index = html.indexOf(mark, from);
  return index === -1 ? html.length : index + mark.length;
}

function decoded(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi,
    (whole, dec, hex, name) => {
      if (typeof name === 'string') return ENTITIES[name.toLowerCase()] ?? whole;
      const code = typeof dec === 'string' ? Number(dec) : parseInt(String(hex), 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
}
