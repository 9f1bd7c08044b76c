import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { TaskStateName } from '../domain/a2a.js';
import { QUOTAS } from './quotas.js';
import { TenantLabels } from './tenant-labels.js';

/** Everything that `/metrics` shows. One registry a process, as Prometheus scrapes a process. */
export const registry = new Registry();
const registers = [registry];

/** Seconds of what takes between a database's round trip and a stalled one. */
const STORE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** Seconds of what a user waits for. */
const WORK_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

/**
 * The gateway's own measurements. Labels are small closed sets, never a user's or task's id, which
 * would make a time series for each; `tenant` is bounded by `TenantLabels`.
 */
export const metrics = {
  /** Finished HTTP requests, streams at their end. `method` is the protocol's operation. */
  requests: new Counter<'surface' | 'method' | 'status'>({
    name: 'nightjar_requests_total',
    help: 'HTTP requests by surface, operation and HTTP status; a stream counts when it ends',
    labelNames: ['surface', 'method', 'status'],
    registers,
  }),
  requestSeconds: new Histogram<'surface' | 'method'>({
    name: 'nightjar_request_duration_seconds',
    help: 'Time from a request to the end of its response, streams included',
    labelNames: ['surface', 'method'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900],
    registers,
  }),
  /** Tasks that became terminal or were parked, by the state's A2A name. */
  tasksSettled: new Counter<'state' | 'tenant'>({
    name: 'nightjar_tasks_settled_total',
    help: 'Tasks that reached a terminal state or a question to their user',
    labelNames: ['state', 'tenant'],
    registers,
  }),
  activeRuns: new Gauge({
    name: 'nightjar_active_runs',
    help: 'Runs that this instance is working on',
    registers,
  }),
  /** `outcome`: see RUN_OUTCOMES; `lost` is a run that was fenced, handed over or broke off. */
  runSeconds: new Histogram<'backend' | 'outcome'>({
    name: 'nightjar_run_duration_seconds',
    help: 'Time of one run of a task on this instance, from its start to its end',
    labelNames: ['backend', 'outcome'],
    buckets: WORK_BUCKETS,
    registers,
  }),
  firstTokenSeconds: new Histogram<'backend'>({
    name: 'nightjar_time_to_first_token_seconds',
    help: 'Time from the start of a run to the first piece of its answer',
    labelNames: ['backend'],
    buckets: WORK_BUCKETS,
    registers,
  }),
  openStreams: new Gauge({
    name: 'nightjar_open_streams',
    help: 'Event streams that clients hold open on this instance',
    registers,
  }),
  appendSeconds: new Histogram({
    name: 'nightjar_append_duration_seconds',
    help: 'Time of one append to a task log, as the run sees it',
    buckets: STORE_BUCKETS,
    registers,
  }),
  scriptSeconds: new Histogram<'script'>({
    name: 'nightjar_script_duration_seconds',
    help: 'Time of one call of a Redis script, from sending it to its answer',
    labelNames: ['script'],
    buckets: STORE_BUCKETS,
    registers,
  }),
  hubLagSeconds: new Histogram({
    name: 'nightjar_hub_lag_seconds',
    help: 'Time from an append in Redis to its delivery to the readers of this instance',
    buckets: STORE_BUCKETS,
    registers,
  }),
  takeovers: new Counter({
    name: 'nightjar_takeovers_total',
    help: 'Runs that this instance took over from another',
    registers,
  }),
  /** `how`: appended or started_over. */
  logRepairs: new Counter<'how'>({
    name: 'nightjar_log_repairs_total',
    help: 'Logs of runs mended after Redis lost acknowledged events',
    labelNames: ['how'],
    registers,
  }),
  tasksRetired: new Counter({
    name: 'nightjar_tasks_retired_total',
    help: 'Ended tasks deleted because their user kept too many or too much',
    registers,
  }),
  /** `reason`: missing, invalid, address, conflict, scope, tenant, suspended or store (who knows the token could not be asked). */
  authFailures: new Counter<'reason'>({
    name: 'nightjar_auth_failures_total',
    help: 'Requests refused by authentication',
    labelNames: ['reason'],
    registers,
  }),
  /** Of `auth.oidc`: no keys, no answer about a token. */
  issuerFailures: new Counter({
    name: 'nightjar_auth_issuer_failures_total',
    help: 'Questions to issuers of access tokens (keys, introspection) without a usable answer',
    registers,
  }),
  /** Of the YAML file, of tenants of the admin API, and of the listener's certificate. */
  configReloads: new Counter<'outcome'>({
    name: 'nightjar_config_reloads_total',
    help: 'Changed configurations that were taken, or refused as faulty (the last good one stays)',
    labelNames: ['outcome'],
    registers,
  }),
  configIsCurrent: new Gauge({
    name: 'nightjar_config_current',
    help: '1 while the YAML file and the certificate as they stand are in use, 0 while one is at fault',
    registers,
  }),
  certificateEnds: new Gauge({
    name: 'nightjar_tls_certificate_expiry_timestamp_seconds',
    help: 'When the certificate that the main listener shows ends, seconds since the epoch; 0 without listen.tls',
    registers,
  }),
  auditDropped: new Counter({
    name: 'nightjar_audit_dropped_total',
    help: 'Entries of the audit that could not be stored in Redis',
    registers,
  }),
  redisReconnects: new Counter<'connection'>({
    name: 'nightjar_redis_reconnects_total',
    help: 'Redis connections that were lost and opened again',
    labelNames: ['connection'],
    registers,
  }),
  fencedWrites: new Counter({
    name: 'nightjar_fenced_writes_total',
    help: 'Writes refused because another instance had taken the task over',
    registers,
  }),
  /** Deliveries to webhooks, by what became of each; see PUSH_OUTCOMES. */
  pushDeliveries: new Counter<'outcome'>({
    name: 'nightjar_push_deliveries_total',
    help: 'Deliveries to webhooks by outcome; gone and gave_up dropped the webhook',
    labelNames: ['outcome'],
    registers,
  }),
  /** Which limit refused a caller; see QUOTAS. */
  quotaRefusals: new Counter<'quota'>({
    name: 'nightjar_quota_refusals_total',
    help: 'Calls refused because a limit of their user, tenant, task or instance was reached',
    labelNames: ['quota'],
    registers,
  }),
  localRates: new Counter({
    name: 'nightjar_local_rates_total',
    help: 'Requests whose rate this instance judged by its own count, as Redis did not answer in time',
    registers,
  }),
  /** Who was asked about a write, and what became of it; see APPROVERS and APPROVALS. */
  approvals: new Counter<'approver' | 'outcome'>({
    name: 'nightjar_approvals_total',
    help: 'Questions whether something may be changed, and what was decided',
    labelNames: ['approver', 'outcome'],
    registers,
  }),
  /** `tool` is a name of our own registry; see TOOL_OUTCOMES. */
  toolCalls: new Counter<'tool' | 'outcome'>({
    name: 'nightjar_tool_calls_total',
    help: 'Calls of the assistant’s tools by what became of each',
    labelNames: ['tool', 'outcome'],
    registers,
  }),
  toolSeconds: new Histogram<'tool'>({
    name: 'nightjar_tool_duration_seconds',
    help: 'Time of one call of a tool, its sources included',
    labelNames: ['tool'],
    buckets: WORK_BUCKETS,
    registers,
  }),
  /** `counted`: by the provider, or by our own estimate where it tells none. */
  llmTokens: new Counter<'tenant' | 'direction' | 'counted'>({
    name: 'nightjar_llm_tokens_total',
    help: 'Tokens sent to and received from language models',
    labelNames: ['tenant', 'direction', 'counted'],
    registers,
  }),
  /** `outcome`: ok, or the kind of failure; a retry counts again. */
  llmRequests: new Counter<'outcome'>({
    name: 'nightjar_llm_requests_total',
    help: 'Requests to language models by what became of each',
    labelNames: ['outcome'],
    registers,
  }),
  blockingTimeouts: new Counter({
    name: 'nightjar_blocking_timeouts_total',
    help: 'Blocking sends answered with an unfinished task because their time was up',
    registers,
  }),
} as const;

/** `gone`: it answered 410. `gave_up`: it failed for too long. `unreadable`: sealed with another key. */
export const PUSH_OUTCOMES = [
  'sent',
  'http_error',
  'timeout',
  'network',
  'blocked',
  'unreadable',
  'gone',
  'gave_up',
] as const;
export type PushOutcome = (typeof PUSH_OUTCOMES)[number];

/** Whose word a write waits for. */
export const APPROVERS = ['user', 'operator'] as const;
/** `full`: too many requests of the tenant wait for an operator. */
export const APPROVALS = ['asked', 'approved', 'refused', 'expired', 'full'] as const;

/** How a run of an instance ends. */
export const RUN_OUTCOMES = [
  'completed',
  'failed',
  'canceled',
  'rejected',
  'input_required',
  'auth_required',
  'lost',
] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** `refused`: its arguments were wrong. `failed`: no source answered. `error`: a bug. */
export const TOOL_OUTCOMES = ['success', 'refused', 'failed', 'aborted', 'error'] as const;
export type ToolOutcome = (typeof TOOL_OUTCOMES)[number];

const CONNECTIONS = ['writes', 'reads', 'control', 'subscriber'];
const AUTH_REASONS = [
  'missing',
  'invalid',
  'address',
  'conflict',
  'scope',
  'tenant',
  'suspended',
  'store',
];

// Every series is there with 0 from the start, so that a rate() over its first event is right.
const SETTLED: readonly TaskStateName[] = [
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
];
CONNECTIONS.forEach((connection) => {
  metrics.redisReconnects.inc({ connection }, 0);
});
QUOTAS.forEach((quota) => {
  metrics.quotaRefusals.inc({ quota }, 0);
});
PUSH_OUTCOMES.forEach((outcome) => {
  metrics.pushDeliveries.inc({ outcome }, 0);
});
for (const approver of APPROVERS) {
  for (const outcome of APPROVALS) metrics.approvals.inc({ approver, outcome }, 0);
}
metrics.configIsCurrent.set(1);
for (const outcome of ['taken', 'refused']) metrics.configReloads.inc({ outcome }, 0);
for (const how of ['appended', 'started_over']) metrics.logRepairs.inc({ how }, 0);
AUTH_REASONS.forEach((reason) => {
  metrics.authFailures.inc({ reason }, 0);
});

const tenantLabels = new TenantLabels();

/** The value of the label `tenant`: the tenant's id, or `other` beyond the most that are shown. */
export function tenantLabel(tenant: string): string {
  return tenantLabels.of(tenant);
}

/**
 * Called once by a gateway's start, with the configuration's tenants: they are shown first, in their
 * order, and each has its series from the start.
 */
export function showTenants(tenants: readonly string[], most: number): void {
  tenantLabels.limit(most);
  for (const tenant of new Set(tenants.map(tenantLabel))) {
    SETTLED.forEach((state) => {
      metrics.tasksSettled.inc({ state, tenant }, 0);
    });
  }
}

/** Adds Node's own measurements (CPU, memory, event loop); called once by a gateway's start. */
export function collectProcessMetrics(): void {
  collectDefaultMetrics({ register: registry });
}
