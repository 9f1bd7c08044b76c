/** The world of the demo source: a small shop with a bad day. Ages in minutes before the anchor. */
export interface DemoAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly ageMinutes: number;
  /** Id of the demo silence that keeps it quiet. */
  readonly silence?: string;
}

export const DEMO_ALERTS: readonly DemoAlert[] = [
  {
    ageMinutes: 18,
    labels: {
      alertname: 'HighErrorRate',
      severity: 'critical',
      busigroup: 'prod',
      cluster: 'eu-1',
      service: 'checkout',
      instance: '10.0.0.5:9100',
    },
    annotations: {
      summary: 'checkout answers 12 % of its requests with 5xx',
      description: 'The share of 5xx answers of checkout has been above 5 % for 10 minutes.',
      runbook_url: 'https://runbooks.example.com/high-error-rate',
    },
  },
  {
    ageMinutes: 47,
    labels: {
      alertname: 'DiskAlmostFull',
      severity: 'critical',
      busigroup: 'prod',
      cluster: 'eu-1',
      service: 'orders-db',
      instance: '10.0.0.21:9100',
    },
    annotations: {
      summary: 'Disk /var/lib/postgresql is 96 % full',
      runbook_url: 'https://runbooks.example.com/disk-almost-full',
    },
  },
  {
    ageMinutes: 95,
    labels: {
      alertname: 'HighLatency',
      severity: 'warning',
      busigroup: 'prod',
      cluster: 'eu-1',
      service: 'checkout',
      instance: '10.0.0.6:9100',
    },
    annotations: { summary: 'p99 latency of checkout is 2.4 s' },
  },
  {
    ageMinutes: 310,
    labels: {
      alertname: 'CertificateExpiresSoon',
      severity: 'warning',
      busigroup: 'prod',
      cluster: 'us-1',
      service: 'gateway',
      instance: '10.1.0.3:9100',
    },
    annotations: { summary: 'The certificate of shop.example.com expires in 9 days' },
  },
  {
    ageMinutes: 33,
    labels: {
      alertname: 'PodCrashLooping',
      severity: 'warning',
      busigroup: 'staging',
      cluster: 'eu-2',
      service: 'search',
      instance: '10.2.0.8:9100',
    },
    annotations: { summary: 'search-7c9 restarted 6 times in 15 minutes' },
  },
  {
    ageMinutes: 1500,
    silence: 'demo-silence-1',
    labels: {
      alertname: 'BackupTooOld',
      severity: 'info',
      busigroup: 'staging',
      cluster: 'eu-2',
      service: 'orders-db',
      instance: '10.2.0.21:9100',
    },
    annotations: { summary: 'The last backup is 26 hours old' },
  },
];

export const DEMO_SILENCE = {
  id: 'demo-silence-1',
  matchers: [{ name: 'alertname', op: '=' as const, value: 'BackupTooOld' }],
  createdBy: 'demo-operator',
  comment: 'The backup of staging is being moved',
  ageMinutes: 120,
  endsInMinutes: 360,
};

export const DEMO_TARGETS = [
  { job: 'node', instance: '10.0.0.5:9100', up: true },
  { job: 'node', instance: '10.0.0.6:9100', up: true },
  { job: 'node', instance: '10.0.0.21:9100', up: true },
  { job: 'node', instance: '10.2.0.8:9100', up: false },
  { job: 'gateway', instance: '10.1.0.3:8080', up: true },
] as const;

export const DEMO_RULES = [
  { name: 'HighErrorRate', severity: 'critical', expr: 'job:http_errors:ratio5m > 0.05' },
  { name: 'DiskAlmostFull', severity: 'critical', expr: 'disk_used_ratio > 0.95' },
  { name: 'HighLatency', severity: 'warning', expr: 'job:http_latency_seconds:p99 > 1' },
  { name: 'CertificateExpiresSoon', severity: 'warning', expr: 'cert_expiry_days < 14' },
  { name: 'PodCrashLooping', severity: 'warning', expr: 'increase(pod_restarts_total[15m]) > 5' },
  { name: 'BackupTooOld', severity: 'info', expr: 'backup_age_hours > 24' },
  { name: 'CpuSaturated', severity: 'warning', expr: 'node_load1 > 8' },
] as const;
