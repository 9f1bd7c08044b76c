import type { Frame, ToolUse } from '../assistant/assistant-backend.js';
import type {
  JsonObject,
  JsonValue,
  Part,
  StreamResponse,
  TaskStatus,
  TaskArtifactUpdate,
} from '../domain/a2a.js';

/** A larger text is split: one event is one line on the wire and one entry in the log. */
const TEXT_PIECE = 16 * 1024;
const EVIDENCE_ENTRIES = 64;
const EVIDENCE_BYTES = 4096;
const FAILED_TOOLS = 8;
/** What of an answer the context's history keeps. */
const REMEMBERED_TEXT = 8 * 1024;
const MEMORY_BYTES = 16 * 1024;

type ShownFrame = Extract<Frame, { kind: 'content' | 'reason' | 'step' | 'artifact' }>;

export interface BridgeOptions {
  readonly taskId: string;
  readonly contextId: string;
  /** 1 for the run of the first message, 2 after the first continuation, … */
  readonly leg: number;
  /** A status of the task at this moment. */
  readonly status: (text?: string) => TaskStatus;
}

/**
 * Turns the frames of one run into A2A events (design 5.2). Artifact ids are made of the leg and a
 * counter, so a run that is repeated after a takeover writes the same ones again, each restarted
 * with `append: false`; `superseded` then names what it did not write again.
 */
export class Bridge {
  private readonly started = new Set<string>();
  private thoughts = 0;
  private thinking = false;
  private artifacts = 0;
  private steps = 0;
  private toolCalls = 0;
  private readonly answer: string[] = [];
  private readonly tools: ToolUse[] = [];
  private readonly failedTools: ToolUse[] = [];
  private remembered: JsonValue | undefined;

  constructor(private readonly options: BridgeOptions) {}

  /** The answer so far. */
  get text(): string {
    return this.answer.join('');
  }

  /** The answer as the history keeps it, and what the backend wants to see again. */
  get turn(): { assistant: string; memory?: JsonValue } {
    const assistant = this.text.slice(0, REMEMBERED_TEXT);
    return this.remembered === undefined ? { assistant } : { assistant, memory: this.remembered };
  }

  remember(data: JsonValue): void {
    if (JSON.stringify(data).length <= MEMORY_BYTES) this.remembered = data;
  }

  /** An empty text gives no event: an artifact event never has empty parts. */
  events(frame: ShownFrame): StreamResponse[] {
    switch (frame.kind) {
      case 'content':
        return this.texts('answer', frame.text, undefined);
      case 'reason':
        if (!this.thinking && frame.text !== '') {
          this.thinking = true;
          this.thoughts += 1;
        }
        return this.texts(`thought-${this.thoughts}`, frame.text, { adk_thought: true });
      case 'step':
        return this.step(frame);
      case 'artifact':
        return this.artifact(frame);
    }
  }

  /** The `result` data artifact that closes a completed run (nl2sh). */
  result(): StreamResponse {
    const evidence = this.tools.map((tool) => ({
      call_id: tool.callId,
      tool: tool.name,
      outcome: tool.outcome,
      output: cut(tool.output),
      truncated: tool.output.length > EVIDENCE_BYTES,
    }));
    const data = {
      session: this.options.contextId,
      answer: this.text,
      steps: this.steps,
      tool_calls: this.toolCalls,
      failed_tools: this.failedTools.map((tool) => ({ tool: tool.name, error: cut(tool.output) })),
      evidence,
      evidence_truncated: this.toolCalls > evidence.length,
    };
    return this.whole(this.id('result'), 'result', [{ data }]);
  }

  /**
   * Events that empty what an earlier attempt of this leg left and this one did not write again.
   * @param present ids of the task's artifacts.
   */
  superseded(present: readonly string[]): StreamResponse[] {
    const mine = `${this.options.leg}-`;
    return present
      .filter((id) => id.startsWith(mine) && !this.started.has(id))
      .map((artifactId) => ({
        artifactUpdate: {
          ...this.task,
          artifact: { artifactId, parts: [{ text: '' }], metadata: { superseded: true } },
          append: false,
        },
      }));
  }

  private get task(): { taskId: string; contextId: string } {
    return { taskId: this.options.taskId, contextId: this.options.contextId };
  }

  private id(name: string): string {
    return `${this.options.leg}-${name}`;
  }

  private texts(name: string, text: string, metadata: JsonObject | undefined): StreamResponse[] {
    if (name === 'answer') this.answer.push(text);
    return pieces(text).map((piece) => {
      const part: Part = metadata === undefined ? { text: piece } : { text: piece, metadata };
      const id = this.id(name);
      return this.started.has(id) ? this.more(id, [part]) : this.start(id, name, [part]);
    });
  }

  /** Tool calls that have ended. */
  get toolsUsed(): number {
    return this.toolCalls;
  }

  private step(frame: Extract<Frame, { kind: 'step' }>): StreamResponse[] {
    this.thinking = false;
    this.steps += 1;
    if (frame.tool !== undefined) {
      this.toolCalls += 1;
      if (this.tools.length < EVIDENCE_ENTRIES) this.tools.push(frame.tool);
      if (frame.tool.outcome === 'failed' && this.failedTools.length < FAILED_TOOLS) {
        this.failedTools.push(frame.tool);
      }
    }
    return [{ statusUpdate: { ...this.task, status: this.options.status(frame.text) } }];
  }

  private artifact(frame: Extract<Frame, { kind: 'artifact' }>): StreamResponse[] {
    if (frame.parts.length === 0) return [];
    this.artifacts += 1;
    const type = frame.contentType;
    const parts =
      type === undefined
        ? frame.parts
        : frame.parts.map((part) => ({
            ...part,
            metadata: { ...part.metadata, n9e_content_type: type },
          }));
    const id = this.id(`artifact-${this.artifacts}`);
    return [this.whole(id, frame.name, parts, frame.description)];
  }

  /**
   * An artifact in one piece says so. Some clients (ADK) keep nothing of a stream that never says it;
   * a streamed answer says it by the terminal status, never by an event of its own.
   */
  private whole(
    artifactId: string,
    name: string,
    parts: readonly Part[],
    description?: string,
  ): StreamResponse {
    const { artifactUpdate } = this.start(artifactId, name, parts, description);
    return { artifactUpdate: { ...artifactUpdate, lastChunk: true } };
  }

  private start(
    artifactId: string,
    name: string,
    parts: readonly Part[],
    description?: string,
  ): { artifactUpdate: TaskArtifactUpdate } {
    this.started.add(artifactId);
    const artifact = {
      artifactId,
      name,
      ...(description === undefined ? {} : { description }),
      parts,
    };
    return { artifactUpdate: { ...this.task, artifact, append: false } };
  }

  private more(artifactId: string, parts: readonly Part[]): StreamResponse {
    return { artifactUpdate: { ...this.task, artifact: { artifactId, parts }, append: true } };
  }
}

/** Pieces of at most 16 Ki characters that never cut a surrogate pair; none for an empty text. */
function pieces(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + TEXT_PIECE, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

function cut(text: string): string {
  return text.length > EVIDENCE_BYTES ? text.slice(0, EVIDENCE_BYTES) : text;
}
