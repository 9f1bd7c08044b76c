import { showResult } from './show-result.js';
import { ToolInputError, type Tool, type ToolContext, type ToolResult } from './tool.js';

const FAILED = 'The tool failed; the operators’ log has the details.';
const UNKNOWN =
  'No source of this team can answer this, so nothing was read: that is not the same as none.';
const REFUSAL_CHARS = 2000;

/** How a call of a tool ended, whoever made it. */
export interface ToolOutcome {
  /** False: its arguments were refused, no source answered, or it broke. */
  readonly success: boolean;
  /** The result as JSON, or a text that says why there is none; at most `max` characters. */
  readonly show: (max: number) => string;
  /** Absent when there is none. */
  readonly result?: ToolResult;
}

/** Nothing answered: the rest of the result is empty for that reason, not because all is well. */
export function hasAnswer({ sources }: Pick<ToolResult, 'sources'>): boolean {
  return sources.length === 0 || sources.some(({ error }) => error === undefined);
}

/**
 * Calls a tool of the registry; the same for the llm backend and for MCP.
 * @param onBug gets what a tool must not throw.
 * @throws the signal's reason when it aborts.
 */
export async function runTool(
  tool: Tool,
  args: unknown,
  context: ToolContext,
  signal: AbortSignal,
  onBug: (tool: string, error: unknown) => void,
): Promise<ToolOutcome> {
  try {
    const result = await tool.run(args, context, signal);
    signal.throwIfAborted();
    if (result.sources.length === 0) {
      return { success: false, result, show: (max) => UNKNOWN.slice(0, max) };
    }
    return { success: hasAnswer(result), result, show: (max) => showResult(result, max) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolInputError) {
      // Some quote what was asked.
      const text = context.reads.sources.redactor.hide(error.message).slice(0, REFUSAL_CHARS);
      return { success: false, show: (max) => text.slice(0, max) };
    }
    onBug(tool.name, error);
    return { success: false, show: () => FAILED };
  }
}
