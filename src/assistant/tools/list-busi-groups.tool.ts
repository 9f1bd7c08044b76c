import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import { defineReadTool, reportOf, type ToolResult } from './tool.js';

export interface ListBusiGroupsResult extends ToolResult {
  readonly groups: readonly {
    readonly source: string;
    readonly id: number;
    readonly name: string;
  }[];
  readonly total: number;
  readonly has_more: boolean;
}

export const listBusiGroups = defineReadTool({
  name: 'list_busi_groups',
  description: 'The busi groups (n9e) whose alerts, rules, mutes and targets can be seen here.',
  schema: z.strictObject({ limit: z.int().min(1).max(100).default(50) }),
  needs: ({ busiGroups }) => busiGroups !== undefined,
  run: async ({ limit }, ctx, signal): Promise<ListBusiGroupsResult> => {
    const gathered = await ctx.reads.gatherFrom(
      (source) => source.busiGroups,
      (groups, abort) => groups.list(abort),
      signal,
    );
    const groups = gathered.answers.flatMap(({ source, value }) =>
      value.map(({ id, name }) => ({ source: source.name, id, name: cleanText(name, 200) })),
    );
    return {
      query: 'busi groups',
      ...reportOf(gathered),
      groups: groups.slice(0, limit),
      total: groups.length,
      has_more: groups.length > limit,
    };
  },
});
