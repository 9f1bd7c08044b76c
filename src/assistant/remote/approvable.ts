import type { JsonObject } from '../../domain/a2a.js';
import { hiddenIn } from '../../domain/hidden-characters.js';
import type { Frame } from '../assistant-backend.js';
import { ToolInputError } from '../tools/tool-input-error.js';
import type { Deed } from '../writes/write-desk.js';
import type { WriteTool } from '../writes/write-tool.js';
import { askingOf, failureOf } from './agent-ending.js';
import { quoted } from './quote.js';
import type { CallScene, RemoteAnswer, RemoteTool } from './remote-tool.js';
import { type RemoteWords, remoteWordsFor } from './remote-words.js';

/** Nobody approves what they are not shown whole. */
const MOST_SHOWN = 3000;

/** A remote tool as one that needs an approval: the same plans, questions and decisions as any write. */
export function approvable(tool: RemoteTool): WriteTool {
  const { name, description, inputSchema, kind } = tool;
  return {
    ...{ name, description, inputSchema },
    readOnly: false,
    plan: (given) => {
      tool.what(given);
      const args = plainLines(given as JsonObject);
      const lines = shownOf(tool, args);
      if (lines.length > MOST_SHOWN) {
        throw new ToolInputError(`too long to be approved: at most ${MOST_SHOWN} characters`);
      }
      const hidden = hiddenIn(lines);
      if (hidden !== undefined) {
        throw new ToolInputError(
          `it holds a character that cannot be shown (${codePoint(hidden)}), so nobody could approve it`,
        );
      }
      return Promise.resolve({ tool: name, args, summary: summaryOf(tool, args) });
    },
    factsOf: (args) => {
      tool.what(args);
      return { matchers: [], dangers: [] };
    },
    tell: (args, words) =>
      words.callRemote({ remote: whoOf(tool), kind, lines: shownOf(tool, args) }),
    affected: () => Promise.resolve({ away: [] }),
    follow: (args, scene, spoken) =>
      follow(tool, args, scene, remoteWordsFor(scene.turn.lang, spoken)),
    carryOut: () => Promise.reject(new Error('bug: a remote tool is followed')),
  };
}

async function* follow(
  tool: RemoteTool,
  args: JsonObject,
  scene: CallScene,
  words: RemoteWords,
): AsyncGenerator<Frame, Deed> {
  const calling = tool.call(args, scene);
  for (;;) {
    const step = await calling.next();
    if (step.done !== true) {
      // Its words are the outcome.
      if (step.value.kind !== 'content') yield step.value;
      continue;
    }
    return deedOf(tool, step.value, words);
  }
}

/** What is told of an answer: the remote's words, quoted as such. */
function deedOf(
  { name, remote }: RemoteTool,
  { success, certainty, text, asks, ended }: RemoteAnswer,
  words: RemoteWords,
): Deed {
  if (certainty === 'unknown') return { outcome: 'unknown', text: words.unsure(text) };
  const saying = (said: string): string => `${words.says(remote)}\n\n${quoted(said)}`;
  if (ended !== undefined) {
    const { state, partial } = ended;
    const before = quoted(partial) === '' ? '' : `${saying(partial)}\n\n`;
    return {
      outcome: state === 'rejected' ? 'rejected' : 'failed',
      text: before + failureOf(remote, ended, words),
    };
  }
  if (!success) return { outcome: 'refused', text };
  if (asks === undefined) {
    return { outcome: 'done', text: quoted(text) === '' ? words.nothingSaid : saying(text) };
  }
  const whole = text.includes(asks.question) ? text : `${text}\n\n${asks.question}`;
  const skill = skillOf(name, remote);
  const by = { agent: remote, ...(skill === '' ? {} : { skill }) };
  const asking = askingOf(by, { ...asks, question: whole }, words);
  return { outcome: 'done', text: asking.question, asks: asking };
}

/** Line ends of Windows and of old Macs act on a terminal; they mean nothing else than `\n`. */
function plainLines(args: JsonObject): JsonObject {
  const { task } = args;
  return typeof task === 'string' ? { ...args, task: task.replace(/\r\n?/g, '\n') } : args;
}

/** All that is sent, in one line: an operator sees nothing else. */
function summaryOf(tool: RemoteTool, args: JsonObject): string {
  const { remote, kind, name } = tool;
  const { task } = args;
  const isTask = kind === 'agent' && typeof task === 'string';
  if (!isTask) return `call ${name} of ${remote} with ${JSON.stringify(args)}`;
  // As it stands where that is unmistakable.
  return `ask the agent ${whoOf(tool)}: ${/[\n\t"\\]| {2}/.test(task) ? JSON.stringify(task) : task}`;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Whom, and for which of its skills. */
function whoOf({ remote, name, kind }: RemoteTool): string {
  const skill = skillOf(name, remote);
  return kind === 'agent' && skill !== '' ? `${remote}/${skill}` : remote;
}

function skillOf(name: string, remote: string): string {
  return name.slice(`${remote}__`.length);
}

function shownOf({ kind, name }: RemoteTool, args: JsonObject): string {
  const { task } = args;
  return kind === 'agent' && typeof task === 'string'
    ? task
    : `${name}\n${JSON.stringify(args, null, 2)}`;
}
