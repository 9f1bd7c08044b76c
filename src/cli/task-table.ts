import type { TaskSummary } from '../store/redis-run.reader.js';
import { table } from './table.js';

/** Lines of the head and of the sum. */
const FRAME_ROWS = 4;

/** Live tasks for a terminal, the longest running first, and how many there are. */
export function taskTable(tasks: readonly TaskSummary[], now: number, rows = Infinity): string {
  const sorted = [...tasks].sort((a, b) => a.created - b.created);
  const shown = sorted.slice(0, Math.max(1, rows - FRAME_ROWS));
  const count = new Map<string, number>();
  for (const { state } of tasks) count.set(state, (count.get(state) ?? 0) + 1);
  const sums = [...count].map(([state, many]) => `${many} ${nameOf(state)}`);
  const left = sorted.length - shown.length;
  const sum = tasks.length === 0 ? 'no live tasks' : sums.join(', ');
  const head = ['TASK', 'TENANT', 'USER', 'STATE', 'AGE', 'EVENTS', 'ATTEMPT', 'INSTANCE'];
  const body = shown.map((task) => [
    task.id,
    task.tenant,
    task.user,
    `${nameOf(task.state)}${task.cancel === '' ? '' : ', canceling'}`,
    age(now - task.created),
    String(task.seq),
    String(task.attempt),
    task.owner === '' ? '-' : task.owner.slice(0, 8),
  ]);
  const more = left > 0 ? ` (${left} more)` : '';
  return tasks.length === 0 ? `${sum}\n` : `${table(head, body)}\n${sum}${more}\n`;
}

function nameOf(state: string): string {
  return state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', ' ');
}

function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 100) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 100 ? `${minutes}m` : `${Math.floor(minutes / 60)}h`;
}
