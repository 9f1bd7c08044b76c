import { alertHistory } from './alert-history.tool.js';
import { alertTimeline } from './alert-timeline.tool.js';
import { chart } from './chart.tool.js';
import { countAlerts } from './count-alerts.tool.js';
import { explainRule } from './explain-rule.tool.js';
import { getAlert } from './get-alert.tool.js';
import { listAlerts } from './list-alerts.tool.js';
import type { TenantSources } from '../sources/tenant-sources.js';
import { listBusiGroups } from './list-busi-groups.tool.js';
import { listRules } from './list-rules.tool.js';
import { listSilences } from './list-silences.tool.js';
import { listTargets } from './list-targets.tool.js';
import { listDashboards } from './list-dashboards.tool.js';
import { readRunbook } from './read-runbook.tool.js';
import { listLabels, searchMetrics } from './search-metrics.tool.js';
import { queryMetrics } from './query-metrics.tool.js';
import type { Tool } from './tool.js';

/**
 * Every tool over the sources, for whoever wants to offer them: the llm backend offers all, the
 * builtin backend knows those that it understands questions about. A new
 * tool is one file and one line here.
 */
export const TOOLS: readonly Tool[] = [
  listAlerts,
  getAlert,
  countAlerts,
  alertTimeline,
  alertHistory,
  listSilences,
  queryMetrics,
  searchMetrics,
  listLabels,
  chart,
  listTargets,
  listRules,
  explainRule,
  listBusiGroups,
  listDashboards,
  readRunbook,
];

/** Those that a tenant has: allowed by its config, and of use with what it has configured. */
export function toolsOf(sources: TenantSources): readonly Tool[] {
  return TOOLS.filter(
    (tool) => sources.allows(tool.name) && (tool.offered === undefined || tool.offered(sources)),
  );
}
