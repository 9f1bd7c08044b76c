import { cleanText } from '../sources/clean-text.js';
import type { Silence } from '../sources/source.types.js';

export interface SilenceRow {
  readonly source: string;
  readonly id: string;
  /** To be opened in a browser. */
  readonly url?: string;
  readonly state: Silence['state'];
  /** In Alertmanager's notation: `alertname="X"`. */
  readonly matchers: readonly string[];
  readonly created_by: string;
  readonly comment: string;
  /** RFC 3339. */
  readonly starts_at: string;
  readonly ends_at: string;
}

export function rowOfSilence(silence: Silence): SilenceRow {
  return {
    source: silence.source,
    id: silence.id,
    ...(silence.url === undefined ? {} : { url: cleanText(silence.url, 1000) }),
    state: silence.state,
    matchers: silence.matchers
      .slice(0, 20)
      .map(({ name, op, value }) => cleanText(`${name}${op}${JSON.stringify(value)}`, 300)),
    created_by: cleanText(silence.createdBy, 100),
    comment: cleanText(silence.comment, 300),
    starts_at: new Date(silence.startsAt).toISOString(),
    ends_at: new Date(silence.endsAt).toISOString(),
  };
}
