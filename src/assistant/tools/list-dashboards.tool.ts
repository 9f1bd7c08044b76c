import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import { defineReadTool, reportOf, type ToolResult } from './tool.js';

export interface ListDashboardsResult extends ToolResult {
  readonly dashboards: readonly {
    readonly source: string;
    readonly id: number;
    readonly name: string;
    readonly busi_group: string;
    readonly tags?: string;
  }[];
  readonly total: number;
  readonly has_more: boolean;
}

export const listDashboards = defineReadTool({
  name: 'list_dashboards',
  description: 'Dashboards (n9e) of the busi groups that can be seen here, by name.',
  schema: z.strictObject({
    text: z.string().max(200).optional().describe('Contained in the name or the tags'),
    limit: z.int().min(1).max(100).default(30),
    offset: z.int().min(0).max(100_000).default(0),
  }),
  needs: ({ dashboards }) => dashboards !== undefined,
  run: async ({ text, limit, offset }, ctx, signal): Promise<ListDashboardsResult> => {
    const gathered = await ctx.reads.gatherFrom(
      (source) => source.dashboards,
      (dashboards, abort) => dashboards.list(abort),
      signal,
    );
    const needle = text?.toLowerCase() ?? '';
    const found = gathered.answers
      .flatMap(({ source, value }) => value.map((board) => ({ source: source.name, ...board })))
      .filter(({ name, tags }) => `${name} ${tags}`.toLowerCase().includes(needle))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id));
    return {
      query: text === undefined ? 'dashboards' : `dashboards with ${JSON.stringify(text)}`,
      ...reportOf(gathered),
      dashboards: found
        .slice(offset, offset + limit)
        .map(({ source, id, name, busiGroup, tags }) => ({
          ...{ source, id, name: cleanText(name, 200), busi_group: cleanText(busiGroup, 200) },
          ...(tags === '' ? {} : { tags: cleanText(tags, 200) }),
        })),
      total: found.length,
      has_more: offset + limit < found.length,
    };
  },
});
