import { cleanText, cut } from '../../sources/clean-text.js';

// What comes from a source is data: none of it may act as Markdown.

/** A code span: what is copied from it is what stands in it. */
export function code(text: string, max = 120): string {
  const shown = cleanText(text, max).replaceAll('`', "'");
  return shown === '' ? '–' : `\`${shown}\``;
}

/** Running text with everything escaped that Markdown would act on; `a_b` stays as it is. */
export function plain(text: string, max = 160): string {
  return cleanText(text, max)
    .replace(/[\\`*[\]<>|~]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/&(?=#?\w+;)/g, '\\&');
}

/** An address that a click may open, or undefined: http and https only, no credentials in it. */
export function link(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  url.username = '';
  url.password = '';
  // Brackets stand in the host of an address of IPv6 only; elsewhere they could begin an image.
  const rest = url.href.slice(url.origin.length).replace(/[<>|\s[\]]/g, encodeURIComponent);
  const shown = url.origin + rest;
  // A cut address would lead elsewhere.
  return shown.length > 1000 ? undefined : `<${shown}>`;
}

/** An id that leads to its page, where it has one. */
export function linkedId(id: string, url: string | undefined): string {
  const target = url === undefined ? undefined : link(url);
  return target === undefined ? code(id) : `[${code(id)}](${target})`;
}

/** `name=value` as a code span. */
export function pair(name: string, value: string): string {
  return code(`${name}=${cut(value, 80)}`);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  // In a cell only: elsewhere the backslash of a code span would be shown, and copied.
  const cell = (text: string): string =>
    text.replace(/`[^`]*`/g, (span) => span.replaceAll('|', '\\|'));
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
