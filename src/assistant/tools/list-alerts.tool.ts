import { z } from 'zod';
import { type AlertRow, rowOf } from './alert-row.js';
import {
  ALERT_ORDERS,
  selectAlerts,
  selectionShape,
  showSelection,
  sortAlerts,
} from './alert-selection.js';
import { defineReadTool, reportOf, type ToolResult } from './tool.js';

export interface ListAlertsResult extends ToolResult {
  /** `rules`: no alert router answered, so silences are unknown. */
  readonly view: 'router' | 'rules';
  readonly alerts: readonly AlertRow[];
  readonly total: number;
  readonly suppressed: number;
  /** How many there are of that state without any other condition. */
  readonly unfiltered: number;
  readonly has_more: boolean;
}

export const listAlerts = defineReadTool({
  name: 'list_alerts',
  description:
    'Alerts that fire now, with filters on labels, severity, text, state and start time. The worst and newest come first.',
  schema: z.strictObject({
    ...selectionShape,
    order: z.enum(ALERT_ORDERS).default('severity'),
    limit: z.int().min(1).max(100).default(20),
    offset: z.int().min(0).max(100_000).default(0),
  }),
  run: async ({ order, limit, offset, ...selection }, ctx, signal): Promise<ListAlertsResult> => {
    const { reading, alerts, unfiltered } = await selectAlerts(selection, ctx, signal);
    return {
      query: showSelection(selection),
      ...reportOf(reading),
      view: reading.view,
      alerts: sortAlerts(alerts, order)
        .slice(offset, offset + limit)
        .map(rowOf),
      total: alerts.length,
      suppressed: alerts.filter((alert) => alert.state === 'suppressed').length,
      unfiltered,
      has_more: offset + limit < alerts.length,
    };
  },
});
