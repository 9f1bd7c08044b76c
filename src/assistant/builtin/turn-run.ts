import type { Frame, Meter, Shortage, ToolUse, Turn } from '../assistant-backend.js';
import { cleanText } from '../sources/clean-text.js';
import type { TenantSources } from '../sources/tenant-sources.js';
import type { TurnWrites } from '../writes/carry-out.js';
import { hasAnswer } from '../tools/run-tool.js';
import { showResult } from '../tools/show-result.js';
import { SourceReads } from '../tools/source-reads.js';
import {
  type ToolArtifact,
  ToolInputError,
  type ToolOutlet,
  type ToolResult,
  type TypedTool,
} from '../tools/tool.js';
import { honestWords } from './answer/honest-words.js';
import { plain } from './answer/markdown.js';
import type { Words } from './answer/words.js';
import { type ChartMemory, readChartMemory } from './chart-memory.js';
import { type ListMemory, readMemory } from './memory.js';
import type { TimeFrame } from './time/day.js';
import { showInstant } from './time/zoned.js';

/** What the evidence keeps of a tool's result. */
const EVIDENCE_CHARS = 4096;

/** The answer to one question. */
export interface Answer {
  /** Paragraphs of Markdown. */
  readonly blocks: readonly string[];
  /** What the next turn must know; absent: what the last one knew stays. */
  readonly memory?: ListMemory;
  /** Beside or in place of it: the chart that was shown. */
  readonly chart?: ChartMemory;
}

/** No more tools may be called today. */
export class ToolsSpentError extends Error {
  constructor(readonly short: Shortage) {
    super('the allowance of tool calls is used up');
  }
}

/** A handler works in the open: it yields its steps and returns the answer. */
export type Handling<T = Answer> = AsyncGenerator<Frame, T>;

/** What every handler of one turn works with. */
export class TurnRun implements TimeFrame {
  readonly reads: SourceReads;
  readonly memory: ListMemory | undefined;
  /** What was shown last, when it was a chart. */
  readonly chart: ChartMemory | undefined;
  /** They never say that there is none while something that could know did not answer. */
  readonly words: Words;
  /** Tools that were called in this turn. */
  readonly calls: { count: number };

  constructor(
    readonly turn: Turn,
    readonly signal: AbortSignal,
    private readonly plainWords: Words,
    readonly zone: string,
    readonly now: number,
    private readonly sources: TenantSources,
    /** Absent: this turn only reads. */
    readonly writes?: TurnWrites,
    private readonly meter?: Meter,
    within?: Pick<TurnRun, 'reads' | 'calls'> & { readonly memory: ListMemory },
    /** Other agents that a message may ask by name. */
    readonly agents: readonly string[] = [],
  ) {
    this.reads = within?.reads ?? new SourceReads(sources);
    this.words = honestWords(plainWords, (kinds) =>
      this.reads
        .failuresOf(kinds)
        .map(({ source, fault }) => plain(plainWords.failure(source, fault), 500))
        .join('; '),
    );
    this.calls = within?.calls ?? { count: 0 };
    this.memory = within?.memory ?? readMemory(turn.history);
    this.chart = readChartMemory(turn.history);
  }

  /** The next question of the same message: the same facts, after an answer that left `memory`. */
  after(memory: ListMemory): TurnRun {
    const { turn, signal, plainWords, zone, now, sources, writes, meter, reads, calls } = this;
    const { agents } = this;
    const within = { reads, calls, memory };
    return new TurnRun(
      ...([turn, signal, plainWords, zone, now, sources, writes, meter] as const),
      within,
      agents,
    );
  }

  /**
   * Runs a tool, with a step that says so, one with its answer, and the artifacts that it made.
   * @throws ToolsSpentError.
   */
  async *call<A, R extends ToolResult>(tool: TypedTool<A, R>, args: A): Handling<R> {
    if (!this.sources.allows(tool.name)) throw new ToolInputError(this.words.noTool(tool.name));
    const asked = this.sources.redactor.hide(JSON.stringify(args));
    const text = this.words.calling(tool.name, cleanText(asked, 300));
    const short = await this.meter?.take('tools', 1);
    if (short !== undefined) throw new ToolsSpentError(short);
    yield { kind: 'step', text };
    const made: ToolArtifact[] = [];
    const outlet: ToolOutlet = {
      language: this.words.language,
      attach: (artifact) => made.push(artifact),
    };
    const result = await tool.run(args, { reads: this.reads, outlet }, this.signal);
    yield this.answered(tool.name, result);
    for (const artifact of made) yield { kind: 'artifact', ...artifact };
    return result;
  }

  /** Is the tool open to this team? */
  may(tool: string): boolean {
    return this.sources.allows(tool);
  }

  private answered(name: string, result: ToolResult): Frame {
    this.calls.count += 1;
    const outcome = hasAnswer(result) ? 'success' : 'failed';
    const callId = `call-${this.calls.count}`;
    const tool: ToolUse = { callId, name, outcome, output: showResult(result, EVIDENCE_CHARS) };
    return { kind: 'step', text: this.words.called(name, outcome === 'failed'), tool };
  }

  /** Says how the question was understood, before anything is done about it. */
  *explain(text: readonly string[]): Generator<Frame, readonly string[]> {
    yield { kind: 'reason', text: text.join('\n') };
    return text;
  }

  /** A time of a result, absolute in the user's zone. */
  at(iso: string): string {
    return showInstant(Date.parse(iso), this.zone);
  }

  /** `2026-11-30 09:12:03 UTC (18 min ago)`. */
  since(iso: string): string {
    return `${this.at(iso)} (${this.words.ago(this.now - Date.parse(iso))})`;
  }
}
