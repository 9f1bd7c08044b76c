import { metrics, type ToolOutcome } from '../../metrics/metrics.js';
import { ToolInputError } from './tool-input-error.js';

/** What a result says about the sources that were asked. */
interface Asked {
  readonly sources: readonly { readonly error?: string }[];
}

/** Runs a tool and counts and times it, however it ends. @throws what `run` throws. */
export async function observeTool<R extends Asked>(
  tool: string,
  signal: AbortSignal,
  run: () => Promise<R>,
): Promise<R> {
  const began = performance.now();
  let outcome: ToolOutcome = 'error';
  try {
    const result = await run();
    const { sources } = result;
    const isDead = sources.length > 0 && sources.every(({ error }) => error !== undefined);
    outcome = isDead ? 'failed' : 'success';
    return result;
  } catch (error) {
    if (signal.aborted) outcome = 'aborted';
    else if (error instanceof ToolInputError) outcome = 'refused';
    throw error;
  } finally {
    metrics.toolCalls.inc({ tool, outcome });
    metrics.toolSeconds.observe({ tool }, (performance.now() - began) / 1000);
  }
}
