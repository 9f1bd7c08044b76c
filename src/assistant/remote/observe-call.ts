import { metrics, type ToolOutcome } from '../../metrics/metrics.js';
import { startSpan, withinSpan } from '../../tracing/tracing.js';
import type { Frame } from '../assistant-backend.js';
import { ToolInputError } from '../tools/tool-input-error.js';
import type { CallScene, RemoteAnswer } from './remote-tool.js';

/**
 * Counts, times and traces a call of a remote tool, however it ends.
 * @param label one for all agents, one for all servers: their own names are not ours to count by.
 * @throws what the call throws.
 */
export async function* observeCall(
  label: 'remote_agent' | 'mcp_tool',
  { signal }: CallScene,
  call: () => AsyncGenerator<Frame, RemoteAnswer>,
): AsyncGenerator<Frame, RemoteAnswer> {
  const facts = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': label };
  const span = startSpan(`execute_tool ${label}`, { facts });
  const began = performance.now();
  let outcome: ToolOutcome = 'aborted';
  try {
    const frames = call();
    for (;;) {
      const step = await withinSpan(span, () => frames.next());
      if (step.done === true) {
        outcome = step.value.success ? 'success' : 'failed';
        if (outcome === 'failed') span.fail(step.value.certainty);
        return step.value;
      }
      yield step.value;
    }
  } catch (error) {
    if (!signal.aborted) outcome = error instanceof ToolInputError ? 'refused' : 'error';
    throw error;
  } finally {
    span.set({ 'nightjar.outcome': outcome });
    span.end();
    metrics.toolCalls.inc({ tool: label, outcome });
    metrics.toolSeconds.observe({ tool: label }, (performance.now() - began) / 1000);
  }
}
