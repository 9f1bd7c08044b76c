import { STATES } from '../../domain/task-state.js';
import { CliError, EXIT } from './exit-code.js';

export interface ListFlags {
  readonly contextId?: string;
  readonly status?: string;
  readonly pageSize?: string;
  readonly pageToken?: string;
}

/** The ListTasks query of the flags. @throws CliError (usage) for a value that cannot be one. */
export function listQuery(flags: ListFlags): Record<string, string | number> {
  const query: Record<string, string | number> = {};
  if (flags.contextId !== undefined) query['contextId'] = flags.contextId;
  if (flags.pageToken !== undefined) query['pageToken'] = flags.pageToken;
  if (flags.pageSize !== undefined) {
    if (!/^\d{1,4}$/.test(flags.pageSize)) {
      throw new CliError(EXIT.usage, `--page-size must be a number, not "${flags.pageSize}"`);
    }
    query['pageSize'] = Number(flags.pageSize);
  }
  if (flags.status !== undefined) {
    const wanted = flags.status.toUpperCase().replaceAll('-', '_').replace('TASK_STATE_', '');
    const state = STATES.find((name) => name === `TASK_STATE_${wanted}`);
    if (state === undefined) {
      throw new CliError(EXIT.usage, `--status does not know "${flags.status}"`);
    }
    query['status'] = state;
  }
  return query;
}
