import type { JsonObject } from '../../domain/a2a.js';
import type { Frame } from '../assistant-backend.js';
import type { CallScene } from '../remote/remote-tool.js';
import type { SourceError } from '../sources/source-error.js';
import type { ToolContext } from '../tools/tool.js';
import type { PlanFacts, PlanOwner, WritePlan } from './write-plan.js';
import type { Deed, Looked } from './write-desk.js';
import type { WriteWords } from './write-words.js';

/** For whom and when a write is planned. */
export interface WriteContext extends ToolContext {
  readonly owner: PlanOwner;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What is needed to tell people what was seen. */
export interface LookScene {
  readonly ctx: WriteContext;
  readonly words: WriteWords;
  /** A time in the user's zone. */
  readonly at: (time: number) => string;
}

/** What a plan is about now. */
export interface Affected {
  /** Alerts that fire; absent when that cannot be told. */
  readonly count?: number;
  /** Who did not answer, so that what it has is not counted. */
  readonly away: readonly SourceError[];
}

/**
 * A tool that changes something outside. It never acts on what a caller sent: it makes a plan, the
 * tenant's policy decides about that, and only what was decided on is carried out.
 */
export interface WriteTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly readOnly: false;
  /** Reads only. @throws ToolInputError for arguments that cannot be planned. */
  plan(args: unknown, ctx: WriteContext, signal: AbortSignal): Promise<WritePlan>;
  /** Of a plan's arguments. @throws ToolInputError when they are none of this tool. */
  factsOf(args: JsonObject): PlanFacts;
  /** What exactly will be done, as Markdown lines, for whoever decides. */
  tell(args: JsonObject, words: WriteWords, at: (time: number) => string): readonly string[];
  affected(args: JsonObject, ctx: ToolContext, signal: AbortSignal): Promise<Affected>;
  /**
   * Of a tool at a remote, in place of `carryOut`: it tells how it goes on, and records itself at the
   * desk.
   * @param spoken a text in the language of the talk.
   */
  readonly follow?: (
    args: JsonObject,
    scene: CallScene,
    spoken: string,
  ) => AsyncGenerator<Frame, Deed>;
  /** Never throws for what can be expected. */
  carryOut(args: JsonObject, ctx: WriteContext, words: WriteWords): Promise<Deed>;
  /** Reads only. @throws for a source that cannot be asked. */
  lookBack?(args: JsonObject, scene: LookScene): Promise<Looked>;
}
