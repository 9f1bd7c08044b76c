import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import type { LabelSet, Target } from '../sources/source.types.js';
import { boundedTexts } from './alert-row.js';
import { compileWhere, showWhere, whereSchema } from './label-matcher.js';
import { type Page, pageOf, pagingShape } from './page.js';
import { defineReadTool, leftOutOf, reportOf, type ToolResult } from './tool.js';

export interface TargetRow {
  readonly source: string;
  readonly health: Target['health'];
  readonly labels: LabelSet;
  readonly last_error?: string;
  /** RFC 3339; absent: never scraped. */
  readonly last_scrape?: string;
}

export interface ListTargetsResult extends ToolResult, Page {
  readonly targets: readonly TargetRow[];
  /** Of those that satisfy `where`, whatever their health. */
  readonly up: number;
  readonly down: number;
  readonly unknown: number;
  readonly unfiltered: number;
}

const ORDER = ['down', 'unknown', 'up'];

export const listTargets = defineReadTool({
  name: 'list_targets',
  description: 'Scrape targets of Prometheus and their health; those that are down come first.',
  schema: z.strictObject({
    health: z.enum(['up', 'down', 'unknown', 'any']).default('any'),
    where: whereSchema,
    ...pagingShape(20),
  }),
  run: async ({ health, where = [], ...given }, ctx, signal): Promise<ListTargetsResult> => {
    const gathered = await ctx.reads.targets(signal);
    const holds = compileWhere(where);
    const all = gathered.answers.flatMap((answer) => answer.value);
    const matching = all.filter((target) => holds(target.labels));
    const found = matching
      .filter((target) => health === 'any' || target.health === health)
      .sort((a, b) => ORDER.indexOf(a.health) - ORDER.indexOf(b.health) || compareLabels(a, b));
    const count = (kind: Target['health']): number =>
      matching.filter((target) => target.health === kind).length;
    const leftOut = leftOutOf(gathered);
    const isAll = health === 'any' && where.length === 0;
    const { rows, page } = pageOf(found, given, isAll ? leftOut : 0);
    return {
      query: ['targets: health=' + health, showWhere(where)].filter((p) => p !== '').join(', '),
      ...reportOf(gathered),
      targets: rows.map(rowOf),
      ...page,
      up: count('up'),
      down: count('down'),
      unknown: count('unknown'),
      unfiltered: all.length + leftOut,
    };
  },
});

function rowOf(target: Target): TargetRow {
  return {
    source: target.source,
    health: target.health,
    labels: boundedTexts(target.labels, 200),
    ...(target.lastError === '' ? {} : { last_error: cleanText(target.lastError, 300) }),
    ...(target.lastScrape === 0 ? {} : { last_scrape: new Date(target.lastScrape).toISOString() }),
  };
}

function compareLabels(a: Target, b: Target): number {
  const [left, right] = [a, b].map(
    ({ labels }) => `${labels['job'] ?? ''} ${labels['instance'] ?? ''}`,
  );
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
