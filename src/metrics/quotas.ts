import type { LimitName } from '../domain/limit.js';

/** Those of a tenant's limits; a record, so that none can be left out. */
const LIMITS: Readonly<Record<LimitName, true>> = {
  active_token: true,
  active_user: true,
  active_tenant: true,
  streams_token: true,
  streams_user: true,
  streams_tenant: true,
  requests_token: true,
  requests_user: true,
  requests_tenant: true,
  tasks_token: true,
  tasks_user: true,
  tasks_tenant: true,
  llm_tokens_token: true,
  llm_tokens_user: true,
  llm_tokens_tenant: true,
  tool_calls_token: true,
  tool_calls_user: true,
  tool_calls_tenant: true,
};

/** Which limit refused a caller: the values of `quota` in an error's metadata and in the metrics. */
export const QUOTAS: readonly string[] = [
  ...Object.keys(LIMITS),
  'webhooks_task',
  'runs_instance',
  /** A limit that has no name of its own here. */
  'other',
];
