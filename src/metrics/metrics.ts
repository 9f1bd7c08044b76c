import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { TaskStateName } from '../domain/a2a.js';

/** Everything that `/metrics` shows. One registry a process, as Prometheus scrapes a process. */
export const registry = new Registry();
const registers = [registry];

/**
 * The gateway's own measurements. Labels are small closed sets: never a tenant's, user's or task's
 * id, which would make a time series for each.
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
  tasksSettled: new Counter<'state'>({
    name: 'nightjar_tasks_settled_total',
    help: 'Tasks that reached a terminal state or a question to their user',
    labelNames: ['state'],
    registers,
  }),
  activeRuns: new Gauge({
    name: 'nightjar_active_runs',
    help: 'Runs that this instance is working on',
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
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  }),
  takeovers: new Counter({
    name: 'nightjar_takeovers_total',
    help: 'Runs that this instance took over from another',
    registers,
  }),
  /** `reason`: missing, invalid, conflict, scope, tenant or store (Redis could not be asked). */
  authFailures: new Counter<'reason'>({
    name: 'nightjar_auth_failures_total',
    help: 'Requests refused by authentication',
    labelNames: ['reason'],
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

const AUTH_REASONS = ['missing', 'invalid', 'conflict', 'scope', 'tenant', 'store'];

// Every series is there with 0 from the start, so that a rate() over its first event is right.
const SETTLED: readonly TaskStateName[] = [
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
];
SETTLED.forEach((state) => {
  metrics.tasksSettled.inc({ state }, 0);
});
PUSH_OUTCOMES.forEach((outcome) => {
  metrics.pushDeliveries.inc({ outcome }, 0);
});
AUTH_REASONS.forEach((reason) => {
  metrics.authFailures.inc({ reason }, 0);
});

/** Adds Node's own measurements (CPU, memory, event loop); called once by a gateway's start. */
export function collectProcessMetrics(): void {
  collectDefaultMetrics({ register: registry });
}
