import { z } from 'zod';
import { type AlertRow, rowOf } from './alert-row.js';
import {
  ALERT_ORDERS,
  selectAlerts,
  selectionShape,
  showSelection,
  sortAlerts,
} from './alert-selection.js';
import { type Page, pageOf, pagingShape } from './page.js';
import { defineReadTool, reportOf, type ToolResult } from './tool.js';

export interface ListAlertsResult extends ToolResult, Page {
  /** `rules`: no alert router answered, so silences are unknown. */
  readonly view: 'router' | 'rules';
  readonly alerts: readonly AlertRow[];
  readonly suppressed: number;
  /** How many there are of that state without any other condition. */
  readonly unfiltered: number;
}

export const listAlerts = defineReadTool({
  name: 'list_alerts',
  description:
    'Alerts that fire now, with filters on labels, severity, text, state and start time. The worst and newest come first.',
  schema: z.strictObject({
    ...selectionShape,
    order: z.enum(ALERT_ORDERS).default('severity'),
    ...pagingShape(20),
  }),
  run: async ({ order, limit, offset, ...selection }, ctx, signal): Promise<ListAlertsResult> => {
    const { reading, alerts, unfiltered } = await selectAlerts(selection, ctx, signal);
    const { rows, page } = pageOf(sortAlerts(alerts, order), { limit, offset });
    return {
      query: showSelection(selection),
      ...reportOf(reading),
      view: reading.view,
      alerts: rows.map(rowOf),
      ...page,
      suppressed: alerts.filter((alert) => alert.state === 'suppressed').length,
      unfiltered,
    };
  },
});
