import { withoutHidden } from '../../domain/hidden-characters.js';

const USERINFO = /(\b[a-z][a-z0-9+.-]*:\/\/)[^/?#\s"'<>]*@/gi;

/** One line of visible text, without the userinfo of any URL in it, at most `max` characters. */
export function cleanText(text: string, max: number): string {
  // Cut before the expressions run too: their input is bounded whatever a source sends.
  const bounded = text.length > max * 4 ? text.slice(0, max * 4) : text;
  const visible = withoutHidden(bounded, ' ')
    .replace(/[\n\t ]+/g, ' ')
    .trim();
  return cut(visible.replace(USERINFO, '$1'), max);
}

/** At most `max` characters, never half of a surrogate pair, `…` at the end when something is gone. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/u, '')}…`;
}
