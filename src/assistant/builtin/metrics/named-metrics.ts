import type { ChartUnit } from '../../charts/chart-unit.js';

/** A quantity that people call by a name, as the usual agents measure it. */
export interface NamedMetric {
  readonly key: 'cpu' | 'memory' | 'disk' | 'load' | 'receive' | 'transmit' | 'requests';
  readonly title: Readonly<Record<'en' | 'zh', string>>;
  /** How it is called in a question. */
  readonly words: RegExp;
  readonly unit: ChartUnit;
  /** The first one whose metrics exist is asked. */
  readonly variants: readonly MetricVariant[];
}

export interface MetricVariant {
  /** Metrics that must exist; the first one tells which hosts there are. */
  readonly needs: readonly [string, ...string[]];
  /** Labels that are added up or averaged away. */
  readonly inner: readonly string[];
  /** @param where matchers, each with a comma behind it; @param window of a rate. */
  readonly expr: (where: string, window: string) => string;
}

const FILESYSTEMS = 'fstype!~"tmpfs|overlay|squashfs|ramfs|devtmpfs|nsfs|iso9660"';

/** A selector; nothing that the user would wonder about stands in it. */
function of(metric: string, where: string, fixed = ''): string {
  const matchers = `${where}${fixed}`.replace(/,$/, '');
  return matchers === '' ? metric : `${metric}{${matchers}}`;
}

/** node_exporter first, then categraf (the agent of n9e), then Windows. */
export const NAMED_METRICS: readonly NamedMetric[] = [
  {
    key: 'cpu',
    title: { en: 'CPU usage', zh: 'CPU 使用率' },
    words:
      /\b(?:cpus?|processors?)(?![\w-])(?:\s+(?:usage|utili[sz]ation|use|busy))?|处理器(?:使用率|利用率)?/iu,
    unit: 'percent',
    variants: [
      {
        needs: ['node_cpu_seconds_total'],
        inner: ['cpu', 'mode'],
        expr: (where, window) =>
          `100 * (1 - avg without (cpu, mode) (rate(${of('node_cpu_seconds_total', where, 'mode="idle"')}[${window}])))`,
      },
      {
        needs: ['cpu_usage_active'],
        inner: ['cpu'],
        expr: (where) => of('cpu_usage_active', where, 'cpu="cpu-total"'),
      },
      {
        needs: ['windows_cpu_time_total'],
        inner: ['core', 'mode'],
        expr: (where, window) =>
          `100 * (1 - avg without (core, mode) (rate(${of('windows_cpu_time_total', where, 'mode="idle"')}[${window}])))`,
      },
    ],
  },
  {
    key: 'memory',
    title: { en: 'Memory usage', zh: '内存使用率' },
    words:
      /\b(?:memory|mem|ram)(?![\w-])(?:\s+(?:usage|utili[sz]ation|use))?|内存(?:使用率|使用|占用|用量|利用率)?/iu,
    unit: 'percent',
    variants: [
      {
        needs: ['node_memory_MemAvailable_bytes', 'node_memory_MemTotal_bytes'],
        inner: [],
        expr: (where) =>
          `100 * (1 - ${of('node_memory_MemAvailable_bytes', where)} / ${of('node_memory_MemTotal_bytes', where)})`,
      },
      { needs: ['mem_used_percent'], inner: [], expr: (where) => of('mem_used_percent', where) },
    ],
  },
  {
    key: 'disk',
    title: { en: 'Disk usage', zh: '磁盘使用率' },
    words:
      /\b(?:disks?|filesystems?)(?![\w-])(?:\s+(?:usage|utili[sz]ation|use|space))?|(?:磁盘|硬盘)(?:使用率|使用|占用|空间|用量)?/iu,
    unit: 'percent',
    variants: [
      {
        needs: ['node_filesystem_avail_bytes', 'node_filesystem_size_bytes'],
        inner: ['device', 'fstype', 'mountpoint'],
        expr: (where) =>
          `100 * (1 - max without (device, fstype) (${of('node_filesystem_avail_bytes', where, FILESYSTEMS)}) / max without (device, fstype) (${of('node_filesystem_size_bytes', where, FILESYSTEMS)}))`,
      },
      {
        needs: ['disk_used_percent'],
        inner: ['device', 'fstype', 'path', 'mode'],
        expr: (where) => of('disk_used_percent', where),
      },
    ],
  },
  {
    key: 'load',
    title: { en: 'Load (1 min)', zh: '负载（1 分钟）' },
    words: /\bload(?:\s+average|avg|1)?(?![\w-])|负载/iu,
    unit: 'number',
    variants: [
      { needs: ['node_load1'], inner: [], expr: (where) => of('node_load1', where) },
      { needs: ['system_load1'], inner: [], expr: (where) => of('system_load1', where) },
    ],
  },
  {
    key: 'transmit',
    title: { en: 'Network, sent', zh: '网络发送' },
    words:
      /\b(?:(?:outbound|outgoing|sent|transmitted|egress)\s+(?:network|traffic|bandwidth)|(?:network|traffic|bandwidth)\s+(?:out|sent|transmitted|egress)|egress)(?![\w-])|(?:出口|上行|发送|出)(?:网络)?(?:流量|带宽)|网络发送/iu,
    unit: 'bytes_per_second',
    variants: [
      {
        needs: ['node_network_transmit_bytes_total'],
        inner: ['device'],
        expr: (where, window) =>
          `sum without (device) (rate(${of('node_network_transmit_bytes_total', where, 'device!="lo"')}[${window}]))`,
      },
      {
        needs: ['net_bytes_sent'],
        inner: ['interface'],
        expr: (where, window) =>
          `sum without (interface) (rate(${of('net_bytes_sent', where)}[${window}]))`,
      },
    ],
  },
  {
    key: 'receive',
    title: { en: 'Network, received', zh: '网络接收' },
    words:
      /\b(?:(?:inbound|incoming|received|ingress)\s+)?(?:network|traffic|bandwidth)(?![\w-])(?:\s+(?:in|received|ingress))?|(?:入口|下行|接收|入)?(?:网络流量|流量|带宽|网络)/iu,
    unit: 'bytes_per_second',
    variants: [
      {
        needs: ['node_network_receive_bytes_total'],
        inner: ['device'],
        expr: (where, window) =>
          `sum without (device) (rate(${of('node_network_receive_bytes_total', where, 'device!="lo"')}[${window}]))`,
      },
      {
        needs: ['net_bytes_recv'],
        inner: ['interface'],
        expr: (where, window) =>
          `sum without (interface) (rate(${of('net_bytes_recv', where)}[${window}]))`,
      },
    ],
  },
  {
    key: 'requests',
    title: { en: 'HTTP requests', zh: 'HTTP 请求量' },
    words:
      /\b(?:(?:http\s+)?requests?(?:\s+rate)?|qps|rps)(?![\w-])|(?:HTTP\s*)?请求(?:量|数|率)/iu,
    unit: 'per_second',
    variants: [
      {
        needs: ['http_requests_total'],
        inner: ['code', 'status', 'method', 'path', 'handler', 'route'],
        expr: (where, window) =>
          `sum by (job, instance) (rate(${of('http_requests_total', where)}[${window}]))`,
      },
      {
        needs: ['http_server_requests_seconds_count'],
        inner: ['status', 'method', 'uri', 'outcome', 'exception'],
        expr: (where, window) =>
          `sum by (job, instance) (rate(${of('http_server_requests_seconds_count', where)}[${window}]))`,
      },
    ],
  },
];

/** The first that the text names, the text without its name. */
export function namedMetricIn(
  text: string,
): { readonly metric: NamedMetric; readonly rest: string } | undefined {
  for (const metric of NAMED_METRICS) {
    const match = metric.words.exec(text);
    if (match === null) continue;
    const before = text[match.index - 1] ?? '';
    // `web-cpu`, `node_cpu`: part of another name.
    if (/[\w.:/-]/.test(before)) continue;
    const rest = `${text.slice(0, match.index)} ; ${text.slice(match.index + match[0].length)}`;
    return { metric, rest };
  }
  return undefined;
}
