import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import { type Page, pageOf, pagingShape } from './page.js';
import { defineReadTool, reportOf, type ToolResult } from './tool.js';

export interface ListBusiGroupsResult extends ToolResult, Page {
  readonly groups: readonly {
    readonly source: string;
    readonly id: number;
    readonly name: string;
  }[];
}

export const listBusiGroups = defineReadTool({
  name: 'list_busi_groups',
  description: 'The busi groups (n9e) whose alerts, rules, mutes and targets can be seen here.',
  schema: z.strictObject(pagingShape(50)),
  needs: ({ busiGroups }) => busiGroups !== undefined,
  run: async (given, ctx, signal): Promise<ListBusiGroupsResult> => {
    const gathered = await ctx.reads.gatherFrom(
      (source) => source.busiGroups,
      (groups, abort) => groups.list(abort),
      signal,
    );
    const groups = gathered.answers.flatMap(({ source, value }) =>
      value.map(({ id, name }) => ({ source: source.name, id, name: cleanText(name, 200) })),
    );
    const { rows, page } = pageOf(groups, given);
    return {
      query: 'busi groups',
      ...reportOf(gathered),
      groups: rows,
      ...page,
    };
  },
});
