import type { LabelSet } from '../sources/source.types.js';

/** Label names that carry an alert's severity, most usual first. */
export const SEVERITY_LABELS = ['severity', 'level', 'priority', 'sev'] as const;

const RANKS: readonly (readonly string[])[] = [
  ['emergency', 'disaster', 'fatal', 'page', 'p0', 'sev0', 's0', '紧急', '致命'],
  ['critical', 'crit', 'p1', 'sev1', 's1', '1', '严重'],
  ['error', 'major', 'high', 'p2', 'sev2', 's2', '2', '错误', '高'],
  ['warning', 'warn', 'medium', 'p3', 'sev3', 's3', '3', '警告', '中'],
  ['minor', 'low', 'p4', 'sev4', 's4', '4', '低'],
  ['info', 'informational', 'notice', 'p5', 'sev5', 's5', '5', '信息', '提示', '通知'],
  ['debug', 'none'],
];
const RANK_OF = new Map(RANKS.flatMap((words, rank) => words.map((word) => [word, rank] as const)));

/** The severity as its label says it; undefined when the alert has none. */
export function severityOf(labels: LabelSet): string | undefined {
  for (const name of SEVERITY_LABELS) {
    const value = labels[name];
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** 0 is the worst; a severity nobody knows comes after the known ones. */
export function severityRank(severity: string | undefined): number {
  if (severity === undefined) return RANKS.length + 1;
  return RANK_OF.get(severity.toLowerCase()) ?? RANKS.length;
}
