import type { Task } from '../domain/a2a.js';
import { metrics, type RunOutcome } from '../metrics/metrics.js';
import { traced } from '../tracing/tracing.js';
import type { OwnedTask } from './owned-task.js';
import type { Run } from './run.js';

export interface RunFacts {
  /** As the configuration names it. */
  readonly backend: string;
  readonly instance: string;
}

/**
 * Executes a run, measures it, and traces it under the request that started its task, on whichever
 * instance it runs. @throws what `run.execute` throws.
 */
export function observeRun(
  run: Run,
  { call, keys, attempt, epoch }: OwnedTask,
  { backend, instance }: RunFacts,
): Promise<Task | undefined> {
  const options = {
    parent: call.ctx.trace,
    facts: {
      'nightjar.tenant': keys.ref.tenant,
      'nightjar.task_id': keys.ref.taskId,
      'nightjar.backend': backend,
      'nightjar.instance': instance,
      'nightjar.attempt': attempt,
      'nightjar.epoch': epoch,
    },
  };
  return traced('run', options, async (span) => {
    const began = performance.now();
    let outcome: RunOutcome = 'lost';
    try {
      const task = await run.execute();
      if (task !== undefined) outcome = outcomeOf(task);
      return task;
    } finally {
      const { firstTokenMs } = run;
      metrics.runSeconds.observe({ backend, outcome }, (performance.now() - began) / 1000);
      if (firstTokenMs !== undefined) {
        metrics.firstTokenSeconds.observe({ backend }, firstTokenMs / 1000);
      }
      span.set({ 'nightjar.outcome': outcome, 'nightjar.first_token_ms': firstTokenMs });
      if (outcome === 'failed') span.fail(outcome);
    }
  });
}

function outcomeOf(task: Task): RunOutcome {
  return task.status.state.replace('TASK_STATE_', '').toLowerCase() as RunOutcome;
}
