import { dynamicTool, jsonSchema, type ToolSet } from 'ai';
import type { JsonValue } from '../../domain/a2a.js';
import { cut } from '../sources/clean-text.js';
import { runTool } from '../tools/run-tool.js';
import { ToolInputError, type Tool, type ToolContext, type ToolOutlet } from '../tools/tool.js';
import type { Meter, Shortage, ToolUse } from '../assistant-backend.js';
import { FrameQueue } from './frame-queue.js';
import type { TurnWrites } from '../writes/carry-out.js';
import type { Asking } from '../writes/write-desk.js';
import type { WriteTool } from '../writes/write-tool.js';
import { remoteWordsFor } from '../remote/remote-words.js';
import type { CallScene, RemoteAnswer, RemoteTool } from '../remote/remote-tool.js';
import type { Fence } from './fence.js';
import type { Redactor } from './redactor.js';

/** About 6,000 tokens of JSON; a model may call several tools. */
const MOST_OUTPUT_CHARS = 20_000;
/** The rest of a batch waits. */
const AT_ONCE = 4;
const MOST_CALLS = 100;
const SPENT =
  'Not called: no more tool calls are allowed today. Answer with what you have, and say what you could not look up.';

export interface ToolAnswer {
  readonly outcome: ToolUse['outcome'];
  /** Redacted and bounded; what the model reads and the evidence keeps. */
  readonly output: string;
  /** Ours, about the output; the model reads it outside of the fence. */
  readonly note?: string;
}

export interface TurnToolsOptions {
  readonly tools: readonly Tool[];
  /** Of other agents and servers, as far as nobody has to approve a call. */
  readonly remoteTools: readonly RemoteTool[];
  /** For whom those are called. */
  readonly scene: CallScene;
  readonly writeTools: readonly WriteTool[];
  readonly writes: TurnWrites;
  readonly context: ToolContext;
  readonly language: ToolOutlet['language'];
  readonly redactor: Redactor;
  readonly fence: Fence;
  readonly signal: AbortSignal;
  readonly meter: Meter | undefined;
  /** A tool threw something that is no refusal of its arguments: a bug. */
  readonly onBug: (tool: string, error: unknown) => void;
}

/** The tools of one turn: few at a time, none once the turn is over, every answer fenced and bounded. */
export class TurnTools {
  private running = 0;
  private calls = 0;
  private readonly waiting: (() => void)[] = [];
  /** Facts of a demo source were used. */
  sawDemo = false;
  /** The turn must end with it: a write that the user has to approve, or what a remote asks back. */
  question: Asking | undefined;
  /** A write whose outcome nobody knows: the turn must end with it, whatever the model says. */
  unsure: string | undefined;
  /** Tools were asked for beyond the day's allowance. */
  short: Shortage | undefined;
  /** What became of the turn's write, for the user. */
  written: string | undefined;
  /** Steps of writes and remotes, pictures and files, for the user; taken out by whoever shows them. */
  readonly steps = new FrameQueue();
  private hasWritten = false;
  /** Writes beyond the first one, none of which was proposed. */
  private furtherWrites = 0;

  constructor(private readonly options: TurnToolsOptions) {}

  /** The question with which the turn ends; it tells of what else the model had wanted. */
  get ending(): Asking | undefined {
    const { question, furtherWrites } = this;
    if (question === undefined || furtherWrites === 0) return question;
    const note = this.options.writes.words.oneOnly(furtherWrites);
    return { ...question, question: `${note}\n\n${question.question}` };
  }

  get mustStop(): boolean {
    return this.question !== undefined || this.unsure !== undefined;
  }

  /** As the SDK wants them. */
  toolSet(): ToolSet {
    const { fence } = this.options;
    return Object.fromEntries(
      [...this.options.tools, ...this.options.remoteTools, ...this.options.writeTools].map(
        (tool) => [
          tool.name,
          dynamicTool({
            description: tool.description,
            inputSchema: jsonSchema(slim(tool.inputSchema) as Parameters<typeof jsonSchema>[0]),
            execute: (args) => this.call(tool, args),
            toModelOutput: ({ output }) => {
              const answer = output as ToolAnswer;
              const type = answer.outcome === 'failed' ? 'error-text' : 'text';
              const note = answer.note === undefined ? '' : `\n${answer.note}`;
              return { type, value: fence.around(`tool ${tool.name}`, answer.output) + note };
            },
          }),
        ],
      ),
    );
  }

  /** @throws the signal's reason when the turn is over. */
  async call(tool: Tool | RemoteTool | WriteTool, args: unknown): Promise<ToolAnswer> {
    const { signal } = this.options;
    this.calls += 1;
    if (this.calls > MOST_CALLS) {
      return { outcome: 'failed', output: `No more than ${MOST_CALLS} tool calls in one turn.` };
    }
    await this.turn();
    try {
      signal.throwIfAborted();
      const short = await this.options.meter?.take('tools', 1);
      if (short !== undefined) {
        this.short = short;
        return { outcome: 'failed', output: SPENT };
      }
      if ('plan' in tool) return await this.write(tool, args);
      return await ('remote' in tool ? this.ask(tool, args) : this.run(tool, args));
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }

  private async run(tool: Tool, args: unknown): Promise<ToolAnswer> {
    const { context, language, redactor, signal, onBug } = this.options;
    const outlet: ToolOutlet = {
      language,
      attach: (artifact) => {
        this.steps.push({ kind: 'artifact', ...artifact });
      },
    };
    const within = { ...context, outlet };
    const { success, result, show } = await runTool(tool, args, within, signal, onBug);
    if (result?.sources.some(({ demo }) => demo === true)) this.sawDemo = true;
    return {
      outcome: success ? 'success' : 'failed',
      output: redactor.hide(show(MOST_OUTPUT_CHARS)),
    };
  }

  /** Its steps are shown as they come, its words are the result. */
  private async ask(tool: RemoteTool, args: unknown): Promise<ToolAnswer> {
    const { redactor, scene, signal } = this.options;
    try {
      const calling = tool.call(args, scene);
      let step = await calling.next();
      for (; step.done !== true; step = await calling.next()) {
        const frame = step.value;
        if (frame.kind === 'step' || frame.kind === 'reason') {
          this.steps.push({ ...frame, text: redactor.hide(`${tool.remote}: ${frame.text}`) });
        } else if (frame.kind === 'artifact') this.steps.push(frame);
      }
      const { success, certainty, text, asks } = step.value;
      const output = redactor.hide(cut(text, MOST_OUTPUT_CHARS));
      if (!tool.readOnly && certainty === 'unknown') {
        this.unsure = remoteWordsFor(this.options.language, '').unsure(output);
        return { outcome: 'failed', output };
      }
      const note = noteOf(asks);
      return {
        outcome: success ? 'success' : 'failed',
        output,
        ...(note === undefined ? {} : { note }),
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ToolInputError)) throw error;
      return { outcome: 'failed', output: redactor.hide(error.message.slice(0, 2000)) };
    }
  }

  /** One a turn: a second one could be the first again, said a little differently. */
  private async write(tool: WriteTool, args: unknown): Promise<ToolAnswer> {
    const { redactor, signal, writes } = this.options;
    if (this.hasWritten) {
      this.furtherWrites += 1;
      return { outcome: 'failed', output: 'Not done: one write a turn. Tell the user about it.' };
    }
    this.hasWritten = true;
    try {
      const carrying = writes.propose(tool, args);
      let step = await carrying.next();
      for (; step.done !== true; step = await carrying.next()) {
        // What was done stands in the evidence by the tool's own answer.
        if (step.value.kind === 'step' && step.value.tool === undefined) {
          this.steps.push(step.value);
        }
      }
      const carried = step.value;
      if (carried.kind === 'asks') {
        this.question = carried.frame;
        return { outcome: 'success', output: 'The gateway now asks the user.' };
      }
      const { outcome, text } = carried;
      this.written = text;
      if (outcome === 'unknown') this.unsure = text;
      const isDone = outcome === 'done' || outcome === 'before';
      return { outcome: isDone ? 'success' : 'failed', output: redactor.hide(text) };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ToolInputError)) throw error;
      // Nothing was planned: it may be tried again.
      this.hasWritten = false;
      return { outcome: 'failed', output: redactor.hide(error.message.slice(0, 2000)) };
    }
  }

  private async turn(): Promise<void> {
    if (this.running >= AT_ONCE) {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    }
    this.running += 1;
  }
}

/** What the model has to do about a remote that waits. */
function noteOf(asks: RemoteAnswer['asks']): string | undefined {
  if (asks === undefined) return undefined;
  return asks.kind === 'auth'
    ? 'It waits until somebody has authorised it. Tell the user what it says; do not call it again now.'
    : 'It asks a question and waits. Put the question to the user as it is; do not answer it yourself. When the user has answered, call the tool again with that answer.';
}

/** Without patterns of texts: they cost tokens, some providers refuse them, and tools check anyway. */
function slim(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(slim);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'pattern' || typeof value !== 'string')
      .map(([key, value]) => [key, slim(value)]),
  );
}
