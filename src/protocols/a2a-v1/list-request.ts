import { isState } from '../../domain/task-state.js';
import type { TaskQuery } from '../../tasks/task.types.js';
import { INT32_MAX, type Params } from '../wire/params.js';
import type { TaskView } from './task-view.js';

export interface ListRequest {
  readonly query: TaskQuery;
  readonly view: TaskView;
}

const DEFAULT_PAGE = 50;
const TOKEN_BYTES = 1024;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/**
 * A ListTasksRequest (spec 3.1.4).
 * @throws InvalidParams naming every wrong field.
 */
export function readListRequest(
  params: Params,
  limits: { readonly idBytes: number; readonly listPageMax: number },
): ListRequest {
  const contextId = params.id('contextId', limits.idBytes);
  const state = readState(params);
  const changedSince = readTime(params, 'statusTimestampAfter');
  const page = readPage(params, limits);
  const historyLength = params.integer('historyLength', 0, INT32_MAX);
  const artifacts = params.boolean('includeArtifacts') ?? false;
  params.check();
  return {
    query: {
      ...page,
      ...(contextId === undefined ? {} : { contextId }),
      ...(state === undefined ? {} : { state }),
      ...(changedSince === undefined ? {} : { changedSince }),
    },
    view: { historyLength, artifacts },
  };
}

/** `pageSize` and `pageToken` of any list; faults are added to `params`. */
export function readPage(
  params: Params,
  limits: { readonly listPageMax: number },
): Pick<TaskQuery, 'pageSize' | 'pageToken'> {
  const pageToken = params.id('pageToken', TOKEN_BYTES);
  const pageSize =
    params.integer('pageSize', 1, limits.listPageMax) ?? Math.min(DEFAULT_PAGE, limits.listPageMax);
  return { pageSize, ...(pageToken === undefined ? {} : { pageToken }) };
}

/** Unspecified, the enum's zero, is no filter. */
function readState(params: Params) {
  const name = params.string('status');
  if (name === undefined || name === '' || name === 'TASK_STATE_UNSPECIFIED') return undefined;
  if (isState(name)) return name;
  params.fault('status', 'must be the name of a task state, e.g. TASK_STATE_WORKING');
  return undefined;
}

function readTime(params: Params, key: string): number | undefined {
  const text = params.string(key);
  if (text === undefined || text === '') return undefined;
  const time = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  params.fault(key, 'must be an RFC 3339 time, e.g. 2026-11-30T12:00:00Z');
  return undefined;
}
