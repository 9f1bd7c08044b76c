import type { JsonObject } from '../../domain/a2a.js';
import type { Frame } from '../assistant-backend.js';
import { ToolInputError } from '../tools/tool-input-error.js';
import type { Deed } from '../writes/write-desk.js';
import type { WriteTool } from '../writes/write-tool.js';
import type { CallScene, RemoteTool } from './remote-tool.js';

/** Nobody approves what they are not shown whole. */
const MOST_SHOWN = 3000;

/** A remote tool as one that needs an approval: the same plans, questions and decisions as any write. */
export function approvable(tool: RemoteTool): WriteTool {
  const { name, description, inputSchema, remote, kind } = tool;
  return {
    ...{ name, description, inputSchema },
    readOnly: false,
    plan: (args) => {
      const summary = tool.what(args);
      if (shownOf(args as JsonObject).length > MOST_SHOWN) {
        throw new ToolInputError(`too long to be approved: at most ${MOST_SHOWN} characters`);
      }
      return Promise.resolve({ tool: name, args: args as JsonObject, summary });
    },
    factsOf: (args) => {
      tool.what(args);
      return { matchers: [], dangers: [] };
    },
    tell: (args, words) => words.callRemote({ remote, kind, lines: shownOf(args) }),
    affected: () => Promise.resolve(undefined),
    follow: (args, scene) => follow(tool, args, scene),
    carryOut: () => Promise.reject(new Error('bug: a remote tool is followed')),
  };
}

async function* follow(
  tool: RemoteTool,
  args: JsonObject,
  scene: CallScene,
): AsyncGenerator<Frame, Deed> {
  const calling = tool.call(args, scene);
  for (;;) {
    const step = await calling.next();
    if (step.done !== true) {
      // Its words are the outcome.
      if (step.value.kind !== 'content') yield step.value;
      continue;
    }
    const { success, certainty, text, asks } = step.value;
    const said =
      asks === undefined || text.includes(asks.question) ? text : `${text}\n\n${asks.question}`;
    if (success) return { outcome: 'done', text: said };
    return { outcome: certainty === 'unknown' ? 'unknown' : 'refused', text: said };
  }
}

function shownOf(args: JsonObject): string {
  const { task } = args;
  return typeof task === 'string' && Object.keys(args).length === 1
    ? task
    : JSON.stringify(args, null, 2);
}
