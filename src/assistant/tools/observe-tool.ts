import { metrics, type ToolOutcome } from '../../metrics/metrics.js';
import { traced } from '../../tracing/tracing.js';
import { ToolInputError } from './tool-input-error.js';

/** What a result says about the sources that were asked. */
interface Asked {
  readonly sources: readonly { readonly error?: string }[];
}

/**
 * Runs a tool, and counts, times and traces it, however it ends.
 * @param tool a name of our own registry: it becomes a label.
 * @throws what `run` throws.
 */
export function observeTool<R extends Asked>(
  tool: string,
  signal: AbortSignal,
  run: () => Promise<R>,
): Promise<R> {
  const facts = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool };
  return traced(`execute_tool ${tool}`, { facts }, async (span) => {
    const began = performance.now();
    let outcome: ToolOutcome = 'error';
    try {
      const result = await run();
      const { sources } = result;
      const isDead = sources.length > 0 && sources.every(({ error }) => error !== undefined);
      outcome = isDead ? 'failed' : 'success';
      if (isDead) span.fail('no source answered');
      return result;
    } catch (error) {
      if (signal.aborted) outcome = 'aborted';
      else if (error instanceof ToolInputError) outcome = 'refused';
      throw error;
    } finally {
      span.set({ 'nightjar.outcome': outcome });
      metrics.toolCalls.inc({ tool, outcome });
      metrics.toolSeconds.observe({ tool }, (performance.now() - began) / 1000);
    }
  });
}
