import type { Frame, ToolUse } from '../assistant/assistant-backend.js';
import { jsonBytes } from '../domain/document-size.js';
import { startOf } from '../domain/text.js';
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
/** Characters that the result has of the answer and of each output: the first shape that fits. */
const RESULT_SHAPES = [
  { answer: Infinity, output: EVIDENCE_BYTES },
  { answer: 8192, output: EVIDENCE_BYTES },
  { answer: 8192, output: 64 },
] as const;
/** What of an answer the context's history keeps. */
const REMEMBERED_TEXT = 8 * 1024;
const MEMORY_BYTES = 16 * 1024;

/** What becomes events of the task. */
export type ShownFrame = Extract<Frame, { kind: 'content' | 'reason' | 'step' | 'artifact' }>;

/** A tool call, as the result shows it. */
interface Evidence extends JsonObject {
  readonly call_id: string;
  readonly tool: string;
  readonly outcome: ToolUse['outcome'];
  readonly output: string;
  readonly truncated: boolean;
}

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
  private readonly emptied = new Set<string>();
  private thoughts = 0;
  private thinking = false;
  private artifacts = 0;
  private steps = 0;
  private toolCalls = 0;
  private readonly answer: string[] = [];
  private readonly tools: Evidence[] = [];
  private readonly failedTools: { tool: string; error: string }[] = [];
  private remembered: JsonValue | undefined;

  constructor(private readonly options: BridgeOptions) {}

  /** The answer so far. */
  get text(): string {
    return this.answer.join('');
  }

  /** The answer as the history keeps it, and what the backend wants to see again. */
  get turn(): { assistant: string; memory?: JsonValue } {
    const assistant = startOf(this.text, REMEMBERED_TEXT);
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

  /**
   * The `result` data artifact that closes a completed run (nl2sh). One that would be longer than
   * `bytes` of JSON has the beginning of the answer and of the outputs, and says so.
   */
  result(bytes: number): StreamResponse {
    let data: JsonObject = {};
    for (const shape of RESULT_SHAPES) {
      data = this.resultData(shape);
      if (jsonBytes(data) <= bytes) break;
    }
    return this.whole(this.id('result'), 'result', [{ data }]);
  }

  private resultData(most: { answer: number; output: number }): JsonObject {
    const answer = startOf(this.text, most.answer);
    const evidence = this.tools.map((tool) => {
      const output = startOf(tool.output, most.output);
      return { ...tool, output, truncated: tool.truncated || output !== tool.output };
    });
    return {
      session: this.options.contextId,
      answer,
      ...(answer === this.text ? {} : { answer_truncated: true }),
      steps: this.steps,
      tool_calls: this.toolCalls,
      failed_tools: this.failedTools.map(({ tool, error }) => ({
        tool,
        error: startOf(error, most.output),
      })),
      evidence,
      evidence_truncated: this.toolCalls > evidence.length,
    };
  }

  /**
   * Events that empty what an earlier attempt of this leg left and this one has not written again;
   * each once.
   * @param present ids of the task's artifacts.
   */
  superseded(present: readonly string[]): StreamResponse[] {
    const mine = `${this.options.leg}-`;
    const left = present
      .filter((id) => id.startsWith(mine) && !this.started.has(id) && !this.emptied.has(id))
      .map((artifactId) => ({
        artifactUpdate: {
          ...this.task,
          artifact: { artifactId, parts: [{ text: '' }], metadata: { superseded: true } },
          append: false,
        },
      }));
    for (const { artifactUpdate } of left) this.emptied.add(artifactUpdate.artifact.artifactId);
    return left;
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
      const { callId, name, outcome, output } = frame.tool;
      const kept = startOf(output, EVIDENCE_BYTES);
      if (this.tools.length < EVIDENCE_ENTRIES) {
        const truncated = kept.length < output.length;
        this.tools.push({ call_id: callId, tool: name, outcome, output: kept, truncated });
      }
      if (outcome === 'failed' && this.failedTools.length < FAILED_TOOLS) {
        this.failedTools.push({ tool: name, error: kept });
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
    const piece = startOf(text.slice(at, at + TEXT_PIECE + 1), TEXT_PIECE);
    parts.push(piece);
    at += piece.length;
  }
  return parts;
}
