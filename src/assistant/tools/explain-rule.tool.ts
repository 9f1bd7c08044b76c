import { z } from 'zod';
import { rowOf, type AlertRow } from './alert-row.js';
import { sortAlerts } from './alert-selection.js';
import { rowOfRule, type RuleRow } from './list-rules.tool.js';
import { queryMetrics, type SeriesRow } from './query-metrics.tool.js';
import { type Comparison, splitComparison } from './split-comparison.js';
import { defineReadTool, reportOf, type ToolContext, type ToolResult } from './tool.js';

export interface ExplainedRule extends RuleRow {
  /** What the whole expression gives now: the series for which the condition holds. */
  readonly holds_for: readonly SeriesRow[];
  readonly holds_total: number;
  /** The measured side of a comparison with a number, over the window, whether it holds or not. */
  readonly measured?: {
    readonly expr: string;
    readonly condition: string;
    readonly series: readonly SeriesRow[];
    readonly total: number;
  };
}

export interface ExplainRuleResult extends ToolResult {
  readonly rules: readonly ExplainedRule[];
  readonly total: number;
  readonly has_more: boolean;
  /** The alerts of that name that fire now. */
  readonly alerts: readonly AlertRow[];
  readonly alerts_total: number;
}

const MOST_RULES = 3;
const MOST_ALERTS = 5;

export const explainRule = defineReadTool({
  name: 'explain_rule',
  description:
    'Why a rule fires, or does not: its expression, what that gives now, and the measured values against the threshold over the last minutes.',
  schema: z.strictObject({
    name: z.string().min(1).max(500).describe('Name of the rule (alertname), exact'),
    source: z.string().max(200).optional().describe('Only of this source'),
    minutes: z.int().min(1).max(1440).default(60).describe('How far back to look'),
    limit: z.int().min(1).max(50).default(10).describe('Series shown of each query'),
  }),
  run: async ({ name, source, minutes, limit }, ctx, signal): Promise<ExplainRuleResult> => {
    const gathered = await ctx.reads.rules(signal);
    const found = gathered.answers
      .flatMap(({ value }) => value)
      .filter((rule) => rule.name === name && (source === undefined || rule.source === source));
    const end = new Date();
    const start = new Date(end.getTime() - minutes * 60_000);
    const range = { start: start.toISOString(), end: end.toISOString() };
    const failures: ToolResult['sources'][number][] = [];
    const ask = async (expr: string, of: string, over?: typeof range) => {
      const asked = { expr, source: of, limit, ...(over === undefined ? {} : { range: over }) };
      const answer = await queryMetrics.run(asked, ctx, signal);
      failures.push(...answer.sources.filter(({ error }) => error !== undefined));
      return answer;
    };
    const rules: ExplainedRule[] = [];
    for (const rule of found.slice(0, MOST_RULES)) {
      const holds = await ask(rule.expr, rule.source);
      const split = splitComparison(rule.expr);
      const measured = split && (await ask(split.measured, rule.source, range));
      rules.push({
        ...rowOfRule(rule),
        holds_for: holds.series,
        holds_total: holds.total,
        ...(split === undefined || measured === undefined
          ? {}
          : { measured: { ...shown(split), series: measured.series, total: measured.total } }),
      });
    }
    const report = reportOf(gathered);
    return {
      query: `rule ${JSON.stringify(name)}: its expression now, and over the last ${minutes} minutes`,
      ...report,
      sources: [...report.sources, ...failures],
      rules,
      total: found.length,
      has_more: found.length > rules.length,
      ...(await alertsNamed(name, ctx, signal)),
    };
  },
});

function shown({ measured, op, threshold }: Comparison): { expr: string; condition: string } {
  return { expr: measured, condition: `${op} ${threshold}` };
}

async function alertsNamed(
  name: string,
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<Pick<ExplainRuleResult, 'alerts' | 'alerts_total'>> {
  const { answers } = await ctx.reads.alerts(signal);
  const alerts = answers
    .flatMap(({ value }) => value)
    .filter(({ labels }) => labels['alertname'] === name);
  const rows = sortAlerts(alerts, 'oldest').slice(0, MOST_ALERTS).map(rowOf);
  return { alerts: rows, alerts_total: alerts.length };
}
