import type { Alert } from '../../src/assistant/sources/source.types.js';
import { alertOf, MINUTE, NOW } from './fake-sources.js';

/** A generator that gives the same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

const SEVERITIES = [
  ['critical', 'warning', 'info'],
  ['page', 'ticket'],
  ['P1', 'P2', 'P3'],
  ['严重', '警告', '提示'],
  ['critical', 'major', 'minor'],
];
const NAMES = [
  'HighErrorRate',
  'DiskAlmostFull',
  'KubePodCrashLooping',
  'cpu_usage_high',
  'Queue Backlog Growing',
  'node-down',
  '磁盘使用率过高',
  '接口超时',
  'TLSCertExpiringSoon',
  'Watchdog',
  'ReplicationLag',
];
const LABELS: Readonly<Record<string, readonly string[]>> = {
  env: ['prod', 'staging', 'dev', 'test'],
  team: ['payments', 'core', 'search', 'Data Platform', '数据平台'],
  service: ['checkout', 'orders-db', 'search', 'api-gateway', 'api', 'web'],
  cluster: ['eu-1', 'us-1', 'k8s-prod-1', 'k8s-prod-10'],
  namespace: ['kube-system', 'default', 'monitoring', 'web'],
  instance: ['10.0.0.5:9100', '10.0.0.51:9100', 'db-7:9187', 'web-1.lan:9100', 'web-10.lan:9100'],
  region: ['eu-west-1', 'us-east-1a', '华东', '华北'],
  rack: ['r12', 'r2', 'r1'],
  shard: ['1', '2', '12'],
  busigroup: ['交易中心', '用户中心', 'DBA', 'prod'],
  'owner-squad': ['falcons', 'Night Owls'],
};

export interface AlertSet {
  readonly alerts: readonly Alert[];
  readonly severities: readonly string[];
  /** Every live label but alertname and severity, with its live values. */
  readonly labels: ReadonlyMap<string, readonly string[]>;
}

/** Between 3 and 15 alerts with labels and severities of a random taste. */
export function alertSet(seed: number): AlertSet {
  const random = randomOf(seed);
  const severities = pick(random, SEVERITIES);
  const names = Object.keys(LABELS).filter(() => random() < 0.5);
  const used = names.length < 2 ? ['env', 'team', ...names] : names;
  const size = 3 + Math.floor(random() * 13);
  const seen = new Set<string>();
  const alerts: Alert[] = [];
  while (alerts.length < size) {
    const labels: Record<string, string> = {
      alertname: pick(random, NAMES),
      severity: pick(random, severities),
    };
    for (const name of used) if (random() < 0.8) labels[name] = pick(random, LABELS[name] ?? []);
    const key = JSON.stringify(labels);
    if (seen.has(key)) labels['replica'] = `r-${String(alerts.length)}x`;
    seen.add(JSON.stringify(labels));
    const quiet = random() < 0.15;
    alerts.push(
      alertOf(labels, {
        startsAt: NOW - Math.floor(random() * 36 * 60) * MINUTE - 7000,
        state: quiet ? 'suppressed' : 'active',
      }),
    );
  }
  const labels = new Map<string, readonly string[]>();
  for (const { labels: set } of alerts) {
    for (const [name, value] of Object.entries(set)) {
      if (name === 'alertname' || name === 'severity') continue;
      const values = labels.get(name) ?? [];
      if (!values.includes(value)) labels.set(name, [...values, value]);
    }
  }
  return { alerts, severities, labels };
}
