import { cleanText } from '../sources/clean-text.js';
import type { Alert, LabelSet } from '../sources/source.types.js';
import { severityOf } from './severity.js';

const MOST_LABELS = 32;
const LABEL_CHARS = 200;

/** One alert in a list: compact, and bounded whatever the source sent. */
export interface AlertRow {
  readonly source: string;
  readonly fingerprint: string;
  readonly name: string;
  readonly severity?: string;
  readonly state: Alert['state'];
  /** RFC 3339. */
  readonly since: string;
  readonly labels: LabelSet;
  /** How many labels were left out of `labels`. */
  readonly more_labels?: number;
  readonly summary?: string;
}

export function rowOf(alert: Alert): AlertRow {
  const severity = severityOf(alert.labels);
  const summary = ['summary', 'description', 'message']
    .map((name) => alert.annotations[name])
    .find((text) => text !== undefined && text !== '');
  const left = Object.keys(alert.labels).length - MOST_LABELS;
  return {
    source: alert.source,
    fingerprint: alert.fingerprint,
    name: cleanText(alert.labels['alertname'] ?? '', LABEL_CHARS),
    ...(severity === undefined ? {} : { severity: cleanText(severity, LABEL_CHARS) }),
    state: alert.state,
    since: new Date(alert.startsAt).toISOString(),
    labels: boundedTexts(alert.labels, LABEL_CHARS),
    ...(left > 0 ? { more_labels: left } : {}),
    ...(summary === undefined ? {} : { summary: cleanText(summary, 300) }),
  };
}

/** At most 32 entries, each name and value cleaned and cut. */
export function boundedTexts(texts: LabelSet, chars: number): LabelSet {
  const bounded = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(texts).slice(0, MOST_LABELS)) {
    bounded[cleanText(name, LABEL_CHARS)] = cleanText(value, chars);
  }
  return bounded;
}
