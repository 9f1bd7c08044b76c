/** Which limit refused a caller: the values of `quota` in an error's metadata and in the metrics. */
export const QUOTAS = [
  'active_user',
  'active_tenant',
  'streams_user',
  'streams_tenant',
  'webhooks_task',
  'runs_instance',
  /** A limit that has no name of its own here. */
  'other',
] as const;
