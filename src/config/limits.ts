/** Design section 8, one set a tenant. Bytes are UTF-8 bytes. */
export interface TenantLimits {
  readonly a2aBodyBytes: number;
  readonly mcpBodyBytes: number;
  readonly textBytes: number;
  readonly idBytes: number;
  readonly activePerUser: number;
  readonly activePerTenant: number;
  readonly streamsPerUser: number;
  readonly streamsPerTenant: number;
  readonly parkedPerUser: number;
  readonly historyTurns: number;
  /** Of one run, over all its attempts. */
  readonly runSeconds: number;
  readonly taskTtlSeconds: number;
  readonly contextIdleSeconds: number;
  /** Ended tasks that are kept of a user; above it the oldest go. */
  readonly retainedTasksPerUser: number;
  /** … and what they may take of Redis' memory, files included. */
  readonly retainedBytesPerUser: number;
  readonly listPageMax: number;
  // All below: 0 is no limit.
  readonly activePerToken: number;
  readonly streamsPerToken: number;
  /** Filled evenly, so that a burst may be taken at once. */
  readonly requestsPerMinutePerToken: number;
  readonly requestsPerMinutePerUser: number;
  readonly requestsPerMinutePerTenant: number;
  /** 0: what a minute brings. */
  readonly requestBurstPerToken: number;
  readonly requestBurstPerUser: number;
  readonly requestBurstPerTenant: number;
  /** Of days in UTC, as all that follow. */
  readonly tasksPerDayPerToken: number;
  readonly tasksPerDayPerUser: number;
  readonly tasksPerDayPerTenant: number;
  /** Sent and received. */
  readonly llmTokensPerDayPerToken: number;
  readonly llmTokensPerDayPerUser: number;
  readonly llmTokensPerDayPerTenant: number;
  readonly toolCallsPerDayPerToken: number;
  readonly toolCallsPerDayPerUser: number;
  readonly toolCallsPerDayPerTenant: number;
}

/** Of a tenant that says nothing else. */
export const DEFAULT_LIMITS: TenantLimits = {
  a2aBodyBytes: 1024 * 1024,
  mcpBodyBytes: 256 * 1024,
  textBytes: 32 * 1024,
  idBytes: 256,
  activePerUser: 64,
  activePerTenant: 1024,
  streamsPerUser: 64,
  streamsPerTenant: 2048,
  parkedPerUser: 16,
  historyTurns: 20,
  runSeconds: 15 * 60,
  taskTtlSeconds: 24 * 3600,
  contextIdleSeconds: 24 * 3600,
  retainedTasksPerUser: 10_000,
  retainedBytesPerUser: 64 * 1024 * 1024,
  listPageMax: 100,
  activePerToken: 0,
  streamsPerToken: 0,
  requestsPerMinutePerToken: 0,
  requestsPerMinutePerUser: 0,
  requestsPerMinutePerTenant: 0,
  requestBurstPerToken: 0,
  requestBurstPerUser: 0,
  requestBurstPerTenant: 0,
  tasksPerDayPerToken: 0,
  tasksPerDayPerUser: 0,
  tasksPerDayPerTenant: 0,
  llmTokensPerDayPerToken: 0,
  llmTokensPerDayPerUser: 0,
  llmTokensPerDayPerTenant: 0,
  toolCallsPerDayPerToken: 0,
  toolCallsPerDayPerUser: 0,
  toolCallsPerDayPerTenant: 0,
};
