import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import type { LabelSet, Rule } from '../sources/source.types.js';
import { boundedTexts } from './alert-row.js';
import { type Page, pageOf, pagingShape } from './page.js';
import { defineReadTool, reportOf, type ToolResult } from './tool.js';

export interface RuleRow {
  readonly source: string;
  readonly group: string;
  readonly name: string;
  readonly type: Rule['type'];
  readonly state?: Exclude<Rule['state'], undefined>;
  readonly expr: string;
  readonly for_seconds: number;
  readonly labels: LabelSet;
  readonly health: string;
  readonly last_error?: string;
}

export interface ListRulesResult extends ToolResult, Page {
  readonly rules: readonly RuleRow[];
  readonly unfiltered: number;
}

const ORDER = ['firing', 'pending', 'inactive'];

export const listRules = defineReadTool({
  name: 'list_rules',
  description: 'Alerting and recording rules of Prometheus; those that fire come first.',
  schema: z.strictObject({
    type: z.enum(['alerting', 'recording', 'any']).default('any'),
    state: z.enum(['firing', 'pending', 'inactive', 'any']).default('any'),
    unhealthy: z.boolean().default(false).describe('Only rules whose evaluation fails'),
    names: z.array(z.string().max(500)).max(20).default([]).describe('Any of these, exact'),
    text: z
      .array(z.string().min(1).max(200))
      .max(10)
      .default([])
      .describe('Each contained in the name, the group, the expression or a label value'),
    ...pagingShape(20),
  }),
  run: async (args, ctx, signal): Promise<ListRulesResult> => {
    const gathered = await ctx.reads.rules(signal);
    const all = gathered.answers.flatMap((answer) => answer.value);
    const needles = args.text.map((needle) => needle.toLowerCase());
    const found = all
      .filter((rule) => args.type === 'any' || rule.type === args.type)
      .filter((rule) => args.state === 'any' || rule.state === args.state)
      .filter((rule) => !args.unhealthy || rule.health === 'err')
      .filter((rule) => args.names.length === 0 || args.names.includes(rule.name))
      .filter((rule) => {
        const hay = [rule.name, rule.group, rule.expr, ...Object.values(rule.labels)]
          .join('\n')
          .toLowerCase();
        return needles.every((needle) => hay.includes(needle));
      })
      .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    const { rows, page } = pageOf(found, args);
    return {
      query: queryOf(args),
      ...reportOf(gathered),
      rules: rows.map(rowOfRule),
      ...page,
      unfiltered: all.length,
    };
  },
});

function queryOf(args: {
  readonly type: string;
  readonly state: string;
  readonly unhealthy: boolean;
  readonly names: readonly string[];
  readonly text: readonly string[];
}): string {
  const parts = [
    args.type === 'any' ? '' : `type=${args.type}`,
    args.state === 'any' ? '' : `state=${args.state}`,
    args.unhealthy ? 'evaluation fails' : '',
    args.names.length === 0 ? '' : `name in (${args.names.join(', ')})`,
    args.text.length === 0 ? '' : `text contains ${args.text.join(', ')}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'rules: all' : `rules: ${parts.join(', ')}`;
}

function rank(rule: Rule): number {
  const index = ORDER.indexOf(rule.state ?? '');
  return index === -1 ? ORDER.length : index;
}

/** A rule in a list: compact, and bounded whatever the source sent. */
export function rowOfRule(rule: Rule): RuleRow {
  return {
    source: rule.source,
    group: cleanText(rule.group, 200),
    name: cleanText(rule.name, 200),
    type: rule.type,
    ...(rule.state === undefined ? {} : { state: rule.state }),
    expr: cleanText(rule.expr, 300),
    for_seconds: rule.forSeconds,
    labels: boundedTexts(rule.labels, 200),
    health: rule.health,
    ...(rule.lastError === '' ? {} : { last_error: cleanText(rule.lastError, 300) }),
  };
}
