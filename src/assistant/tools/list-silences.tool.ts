import { z } from 'zod';
import { type Page, pageOf, pagingShape } from './page.js';
import { rowOfSilence, type SilenceRow } from './silence-row.js';
import { defineReadTool, reportOf, type ToolResult } from './tool.js';

export interface ListSilencesResult extends ToolResult, Page {
  readonly silences: readonly SilenceRow[];
  /** How many there are of that state without the text. */
  readonly unfiltered: number;
}

export const listSilences = defineReadTool({
  name: 'list_silences',
  description: 'Silences of the alert routers; those that end first come first.',
  schema: z.strictObject({
    state: z.enum(['active', 'pending', 'expired', 'any']).default('active'),
    text: z
      .array(z.string().min(1).max(200))
      .max(10)
      .default([])
      .describe('Each contained in a matcher, the creator, the comment or the id'),
    ...pagingShape(20),
  }),
  run: async ({ state, text, ...given }, ctx, signal): Promise<ListSilencesResult> => {
    const gathered = await ctx.reads.silences(signal);
    const needles = text.map((needle) => needle.toLowerCase());
    const ofState = gathered.answers
      .flatMap((answer) => answer.value)
      .filter((silence) => state === 'any' || silence.state === state);
    const found = ofState
      .filter((silence) => {
        const { matchers, createdBy, comment, id } = silence;
        const hay = [...matchers.flatMap((m) => [m.name, m.value]), createdBy, comment, id]
          .join('\n')
          .toLowerCase();
        return needles.every((needle) => hay.includes(needle));
      })
      .sort((a, b) => a.endsAt - b.endsAt || (a.id < b.id ? -1 : 1));
    const words =
      text.length === 0 ? '' : `, text contains ${text.map((t) => JSON.stringify(t)).join(', ')}`;
    const { rows, page } = pageOf(found, given);
    return {
      query: `silences: state=${state}${words}`,
      ...reportOf(gathered),
      silences: rows.map(rowOfSilence),
      ...page,
      unfiltered: ofState.length,
    };
  },
});
