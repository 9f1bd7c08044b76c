import { z } from 'zod';
import type { Alert } from '../sources/source.types.js';
import { compileWhere, showWhere, whereSchema } from './label-matcher.js';
import { severityOf, severityRank } from './severity.js';
import type { AlertReading } from './source-reads.js';
import type { ToolContext } from './tool.js';

/** Which alerts a tool speaks of; shared by list_alerts, get_alert and count_alerts. */
export const selectionShape = {
  where: whereSchema,
  severity: z.array(z.string().max(100)).max(20).optional().describe('Any of these severities'),
  text: z.string().max(200).optional().describe('Contained in the name, a label or an annotation'),
  state: z
    .enum(['firing', 'active', 'suppressed', 'pending'])
    .optional()
    .describe('Default firing: active and suppressed (silenced or inhibited) together'),
  started_after: z.iso.datetime({ offset: true }).optional().describe('At or after that time'),
  started_before: z.iso.datetime({ offset: true }).optional().describe('Before that time'),
  source: z.string().max(200).optional().describe('Only of this source'),
};

export type Selection = z.infer<z.ZodObject<typeof selectionShape>>;

export interface Selected {
  readonly reading: AlertReading;
  readonly alerts: readonly Alert[];
  /** How many there are of that state without the other conditions. */
  readonly unfiltered: number;
}

/** @throws ToolInputError; the signal's reason. */
export async function selectAlerts(
  selection: Selection,
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<Selected> {
  const state = selection.state ?? 'firing';
  const reading =
    state === 'pending' ? await ctx.reads.pending(signal) : await ctx.reads.alerts(signal);
  const holds = compileWhere(selection.where ?? []);
  const severities = selection.severity?.map((severity) => severity.toLowerCase());
  const textHolds =
    selection.text === undefined
      ? undefined
      : compileWhere([{ op: 'contains', values: [selection.text] }]);
  const after = timeOf(selection.started_after, -Infinity);
  const before = timeOf(selection.started_before, Infinity);
  const ofState = reading.answers
    .flatMap((answer) => answer.value)
    .filter((alert) => state === 'firing' || alert.state === state);
  const alerts = ofState.filter(
    (alert) =>
      (selection.source === undefined || alert.source === selection.source) &&
      holds(alert.labels, alert.annotations) &&
      (textHolds?.(alert.labels, alert.annotations) ?? true) &&
      (severities?.includes(severityOf(alert.labels)?.toLowerCase() ?? '') ?? true) &&
      alert.startsAt >= after &&
      alert.startsAt < before,
  );
  return { reading, alerts, unfiltered: ofState.length };
}

/** In words for the user: `alerts that fire, severity="critical", started after …`. */
export function showSelection(selection: Selection): string {
  const parts = [
    `state=${selection.state ?? 'firing'}`,
    selection.severity === undefined ? '' : `severity in (${selection.severity.join(', ')})`,
    showWhere(selection.where ?? []),
    selection.text === undefined ? '' : `text contains ${JSON.stringify(selection.text)}`,
    selection.started_after === undefined ? '' : `started after ${selection.started_after}`,
    selection.started_before === undefined ? '' : `started before ${selection.started_before}`,
    selection.source === undefined ? '' : `source=${selection.source}`,
  ];
  return `alerts: ${parts.filter((part) => part !== '').join(', ')}`;
}

export const ALERT_ORDERS = ['severity', 'newest', 'oldest', 'name'] as const;
export type AlertOrder = (typeof ALERT_ORDERS)[number];

/** A new list; ties are broken so that the same alerts always come in the same order. */
export function sortAlerts(alerts: readonly Alert[], order: AlertOrder): readonly Alert[] {
  const byRank = (a: Alert, b: Alert): number =>
    severityRank(severityOf(a.labels)) - severityRank(severityOf(b.labels));
  const byAge = (a: Alert, b: Alert): number => b.startsAt - a.startsAt;
  const byName = (a: Alert, b: Alert): number =>
    compare(a.labels['alertname'] ?? '', b.labels['alertname'] ?? '');
  const byId = (a: Alert, b: Alert): number =>
    compare(a.fingerprint, b.fingerprint) || compare(a.source, b.source);
  const CHAINS = {
    severity: [byRank, byAge, byName, byId],
    newest: [byAge, byRank, byName, byId],
    oldest: [(a: Alert, b: Alert) => byAge(b, a), byRank, byName, byId],
    name: [byName, byRank, byAge, byId],
  };
  return [...alerts].sort((a, b) => {
    for (const step of CHAINS[order]) {
      const result = step(a, b);
      if (result !== 0) return result;
    }
    return 0;
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function timeOf(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : Date.parse(text);
}
