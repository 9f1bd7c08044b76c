import { alertHistory } from './alert-history.tool.js';
import { alertTimeline } from './alert-timeline.tool.js';
import { chart } from './chart.tool.js';
import { countAlerts } from './count-alerts.tool.js';
import { explainRule } from './explain-rule.tool.js';
import { getAlert } from './get-alert.tool.js';
import { listAlerts } from './list-alerts.tool.js';
import { listBusiGroups } from './list-busi-groups.tool.js';
import { listRules } from './list-rules.tool.js';
import { listSilences } from './list-silences.tool.js';
import { listTargets } from './list-targets.tool.js';
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
  chart,
  listTargets,
  listRules,
  explainRule,
  listBusiGroups,
];
