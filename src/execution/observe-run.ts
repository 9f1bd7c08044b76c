import type { Task } from '../domain/a2a.js';
import { metrics, type RunOutcome } from '../metrics/metrics.js';
import type { Run } from './run.js';

/** Executes a run and measures it, however it ends. @throws what `run.execute` throws. */
export async function observeRun(run: Run, backend: string): Promise<Task | undefined> {
  const began = performance.now();
  let outcome: RunOutcome = 'lost';
  try {
    const task = await run.execute();
    if (task !== undefined) outcome = outcomeOf(task);
    return task;
  } finally {
    metrics.runSeconds.observe({ backend, outcome }, (performance.now() - began) / 1000);
    if (run.firstTokenMs !== undefined) {
      metrics.firstTokenSeconds.observe({ backend }, run.firstTokenMs / 1000);
    }
  }
}

function outcomeOf(task: Task): RunOutcome {
  return task.status.state.replace('TASK_STATE_', '').toLowerCase() as RunOutcome;
}
