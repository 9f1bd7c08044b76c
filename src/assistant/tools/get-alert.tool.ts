import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import type { Alert, LabelSet, Silence } from '../sources/source.types.js';
import { type AlertRow, boundedTexts, rowOf } from './alert-row.js';
import { selectAlerts, selectionShape, showSelection, sortAlerts } from './alert-selection.js';
import { rowOfSilence, type SilenceRow } from './silence-row.js';
import { defineReadTool, reportOf, type ToolResult } from './tool.js';

export interface AlertDetail extends AlertRow {
  readonly annotations: LabelSet;
  readonly receivers: readonly string[];
  readonly silences: readonly SilenceRow[];
  /** Ids whose silence could not be read, and of the alerts that inhibit this one. */
  readonly silenced_by: readonly string[];
  readonly inhibited_by: readonly string[];
  readonly generator_url?: string;
}

export interface GetAlertResult extends ToolResult {
  readonly alerts: readonly AlertDetail[];
  readonly total: number;
  readonly has_more: boolean;
}

export const getAlert = defineReadTool({
  name: 'get_alert',
  description:
    'Everything known about one alert (by fingerprint, or by name and labels): labels, annotations, silences, links. Up to five when several match.',
  schema: z.strictObject({
    fingerprint: z.string().max(100).optional(),
    name: z.string().max(500).optional().describe('alertname, exact'),
    ...selectionShape,
  }),
  run: async ({ fingerprint, name, ...selection }, ctx, signal): Promise<GetAlertResult> => {
    const where = [...(selection.where ?? [])];
    if (name !== undefined) where.push({ label: 'alertname', op: '=', values: [name] });
    const { reading, alerts } = await selectAlerts({ ...selection, where }, ctx, signal);
    const found = sortAlerts(
      alerts.filter((alert) => fingerprint === undefined || alert.fingerprint === fingerprint),
      'severity',
    );
    const shown = found.slice(0, 5);
    const silences = shown.some((alert) => alert.silencedBy.length > 0)
      ? (await ctx.reads.silences(signal)).answers.flatMap((answer) => answer.value)
      : [];
    const id = fingerprint === undefined ? '' : `, fingerprint=${cleanText(fingerprint, 100)}`;
    return {
      query: showSelection({ ...selection, where }) + id,
      ...reportOf(reading),
      alerts: shown.map((alert) => detailOf(alert, silences)),
      total: found.length,
      has_more: found.length > shown.length,
    };
  },
});

function detailOf(alert: Alert, silences: readonly Silence[]): AlertDetail {
  const known = silences.filter(
    (silence) => silence.source === alert.source && alert.silencedBy.includes(silence.id),
  );
  return {
    ...rowOf(alert),
    annotations: boundedTexts(alert.annotations, 1000),
    receivers: alert.receivers.slice(0, 10).map((receiver) => cleanText(receiver, 100)),
    silences: known.slice(0, 5).map(rowOfSilence),
    silenced_by: alert.silencedBy.slice(0, 10),
    inhibited_by: alert.inhibitedBy.slice(0, 10),
    ...(alert.generatorUrl === undefined
      ? {}
      : { generator_url: cleanText(alert.generatorUrl, 1000) }),
  };
}
