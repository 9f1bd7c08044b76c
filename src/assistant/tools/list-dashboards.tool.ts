import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import { type Page, pageOf, pagingShape } from './page.js';
import { defineReadTool, reportOf, type ToolResult } from './tool.js';

export interface ListDashboardsResult extends ToolResult, Page {
  readonly dashboards: readonly {
    readonly source: string;
    readonly id: number;
    readonly name: string;
    readonly busi_group: string;
    readonly tags?: string;
  }[];
}

export const listDashboards = defineReadTool({
  name: 'list_dashboards',
  description: 'Dashboards (n9e) of the busi groups that can be seen here, by name.',
  schema: z.strictObject({
    text: z.string().max(200).optional().describe('Contained in the name or the tags'),
    ...pagingShape(30),
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
    const { rows, page } = pageOf(found, { limit, offset });
    return {
      query: text === undefined ? 'dashboards' : `dashboards with ${JSON.stringify(text)}`,
      ...reportOf(gathered),
      dashboards: rows.map(({ source, id, name, busiGroup, tags }) => ({
        ...{ source, id, name: cleanText(name, 200), busi_group: cleanText(busiGroup, 200) },
        ...(tags === '' ? {} : { tags: cleanText(tags, 200) }),
      })),
      ...page,
    };
  },
});
