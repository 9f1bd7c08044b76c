import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Json, LEAST, notes, readChart, render, renderAlone } from './chart.js';

const PUBLIC = { publicUrl: 'https://nightjar.example.com' };
const SELECTOR = {
  'app.kubernetes.io/name': 'nightjar',
  'app.kubernetes.io/instance': 'rel',
  'app.kubernetes.io/component': 'gateway',
};

/** What this values say about a list is easier to read as plain JSON. */
function list(value: Json | undefined): Json[] {
  return value as unknown as Json[];
}

describe('the default', () => {
  it('should be a Deployment with what belongs to it, and nothing that needs an operator', async () => {
    const { objects } = await render();
    expect(objects.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
    ]);
    expect(new Set(objects.map(({ metadata }) => metadata.name))).toEqual(
      new Set(['rel-nightjar']),
    );
  });
});

describe('deployment.yaml', () => {
  it('should run two gateways, and leave their number to an autoscaler', async () => {
    expect((await render()).get('Deployment').spec['replicas']).toBe(2);
    const scaled = { autoscaling: { enabled: true }, resources: { requests: { cpu: '1' } } };
    expect((await render(scaled)).get('Deployment').spec['replicas']).toBeUndefined();
  });

  it('should listen for clients everywhere, and for probes on the pod’s address only', async () => {
    const { env, container } = await render();
    expect(env).toMatchObject({
      HOST: '0.0.0.0',
      PORT: '17000',
      MANAGEMENT_HOST: { fieldRef: { fieldPath: 'status.podIP' } },
      MANAGEMENT_PORT: '18000',
      NIGHTJAR_CONFIG: '/etc/nightjar/config/nightjar.yaml',
      REDIS_URL: 'redis://redis:6379',
    });
    expect(container['livenessProbe']).toMatchObject({
      httpGet: { path: '/livez', port: 'management' },
    });
    expect(container['readinessProbe']).toMatchObject({
      httpGet: { path: '/readyz', port: 'management' },
    });
    expect(container['startupProbe']).toMatchObject({
      httpGet: { path: '/livez', port: 'management' },
    });
  });

  it('should roll its pods when the configuration changes, and only then', async () => {
    const sum = async (values: object): Promise<unknown> => {
      const { spec } = (await render(values)).get('Deployment');
      return spec['template']!['metadata']!['annotations']!['checksum/config'];
    };
    const first = await sum({ config: PUBLIC });
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await sum({ config: PUBLIC, replicaCount: 3 })).toBe(first);
    expect(await sum({ config: { publicUrl: 'https://other.example.com' } })).not.toBe(first);
  });

  it('should leave the Service before it stops, and have time to drain', async () => {
    const { pod, container } = await render();
    expect(container['lifecycle']).toEqual({ preStop: { exec: { command: ['sleep', '5'] } } });
    expect(pod['terminationGracePeriodSeconds']).toBe(40);
    const longer = await render({ config: { execution: { drainSeconds: 120 } } });
    expect(longer.pod['terminationGracePeriodSeconds']).toBe(135);
    const none = await render({ preStopSeconds: 0, terminationGracePeriodSeconds: 31 });
    expect(none.container['lifecycle']).toBeUndefined();
    expect(none.pod['terminationGracePeriodSeconds']).toBe(31);
  });

  it('should keep the number of gateways during a roll-out', async () => {
    expect((await render()).get('Deployment').spec['strategy']).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
  });

  it('should spread gateways over hosts and zones, by their own labels', async () => {
    const spread = list((await render()).pod['topologySpreadConstraints']);
    expect(spread.map((entry) => entry['topologyKey'])).toEqual([
      'kubernetes.io/hostname',
      'topology.kubernetes.io/zone',
    ]);
    for (const entry of spread) expect(entry['labelSelector']).toEqual({ matchLabels: SELECTOR });
    const none = await render({ topologySpreadConstraints: [] });
    expect(none.pod['topologySpreadConstraints']).toBeUndefined();
  });

  it('should take secrets from existing Secrets, as variables and as files', async () => {
    const { env, container, pod } = await renderAlone({
      externalRedis: { existingSecret: 'nightjar-redis' },
      secretEnv: [{ name: 'PROM_PASSWORD', secretName: 'sources', key: 'prom' }],
      secretFiles: [{ secretName: 'am' }],
    });
    expect(env['REDIS_URL']).toEqual({
      secretKeyRef: { name: 'nightjar-redis', key: 'redis-url' },
    });
    expect(env['PROM_PASSWORD']).toEqual({ secretKeyRef: { name: 'sources', key: 'prom' } });
    expect(list(container['volumeMounts'])).toContainEqual({
      name: 'secret-0',
      mountPath: '/etc/nightjar/secrets/am',
      readOnly: true,
    });
    expect(list(pod['volumes'])).toContainEqual({
      name: 'secret-0',
      secret: { secretName: 'am', defaultMode: 0o440 },
    });
  });

  it('should trust a private authority when it is given one', async () => {
    expect((await render()).env['NODE_EXTRA_CA_CERTS']).toBeUndefined();
    const { env, container } = await render({ extraCaConfigMap: 'ca', extraCaKey: 'root.pem' });
    expect(env['NODE_EXTRA_CA_CERTS']).toBe('/etc/nightjar/ca/root.pem');
    expect(list(container['volumeMounts']).at(-1)).toMatchObject({ mountPath: '/etc/nightjar/ca' });
  });

  it('should name the image by tag, and pin it by digest', async () => {
    expect((await render()).container['image']).toBe('nightjar:0.1.0');
    const digest = `sha256:${'0'.repeat(64)}`;
    const image = { repository: 'r.example.com/nightjar', tag: '1.2.3', digest };
    expect((await render({ image })).container['image']).toBe(
      `r.example.com/nightjar:1.2.3@${digest}`,
    );
  });
});

describe('configmap.yaml', () => {
  it('should hold config as it is given, large numbers included', async () => {
    const config = {
      ...PUBLIC,
      execution: { drainSeconds: 25 },
      tenants: [{ id: 'a', limits: { a2aBodyBytes: 16777216, taskTtlSeconds: 2592000 } }],
    };
    expect(parse((await render({ config })).configFile)).toEqual(config);
  });
});

describe('service.yaml', () => {
  it('should reach gateways without affinity, and never the management port', async () => {
    const { spec } = (await render()).get('Service');
    expect(spec).toMatchObject({ type: 'ClusterIP', sessionAffinity: 'None', selector: SELECTOR });
    expect(list(spec['ports']).map((port) => port['targetPort'])).toEqual(['http']);
  });
});

describe('ingress.yaml', () => {
  it('should be there when asked for, for the public host, without buffering', async () => {
    expect((await render()).has('Ingress')).toBe(false);
    const ingress = { enabled: true, className: 'nginx' };
    const { metadata, spec } = (await render({ ingress, config: PUBLIC })).get('Ingress');
    expect(list(spec['rules']).map((rule) => rule['host'])).toEqual(['nightjar.example.com']);
    expect(spec['ingressClassName']).toBe('nginx');
    expect(metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
      'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
    });
  });
});

describe('httproute.yaml', () => {
  it('should be there when asked for, without an end for streams', async () => {
    expect((await render()).has('HTTPRoute')).toBe(false);
    const httpRoute = { enabled: true, parentRefs: [{ name: 'public' }] };
    const route = (await render({ httpRoute, config: PUBLIC })).get('HTTPRoute').spec;
    expect(route['hostnames']).toEqual(['nightjar.example.com']);
    expect(list(route['rules'])[0]).toMatchObject({
      backendRefs: [{ name: 'rel-nightjar', port: 80 }],
      timeouts: { request: '0s' },
    });
    const timed = { ...httpRoute, disableRequestTimeout: false };
    const plain = (await render({ httpRoute: timed, config: PUBLIC })).get('HTTPRoute').spec;
    expect(list(plain['rules'])[0]!['timeouts']).toBeUndefined();
  });
});

describe('horizontalpodautoscaler.yaml', () => {
  it('should scale by CPU, and by open streams when asked to', async () => {
    const resources = { requests: { cpu: '1' } };
    const cpu = await render({ autoscaling: { enabled: true }, resources });
    expect(cpu.get('HorizontalPodAutoscaler').spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: 'rel-nightjar' },
      minReplicas: 2,
      maxReplicas: 10,
      metrics: [{ type: 'Resource', resource: { name: 'cpu' } }],
      behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
    });
    const streams = await render({
      autoscaling: { enabled: true, targetCPUUtilizationPercentage: 0, targetOpenStreams: 500 },
    });
    expect(streams.get('HorizontalPodAutoscaler').spec['metrics']).toEqual([
      {
        type: 'Pods',
        pods: {
          metric: { name: 'nightjar_open_streams' },
          target: { type: 'AverageValue', averageValue: '500' },
        },
      },
    ]);
  });
});

describe('poddisruptionbudget.yaml', () => {
  it('should let one gateway go at a time', async () => {
    expect((await render()).get('PodDisruptionBudget').spec).toEqual({
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: SELECTOR },
    });
  });

  it('should take a share, and a minimum instead', async () => {
    const budget = { maxUnavailable: '', minAvailable: '50%' };
    const { spec } = (await render({ podDisruptionBudget: budget })).get('PodDisruptionBudget');
    expect(spec['minAvailable']).toBe('50%');
    expect(spec['maxUnavailable']).toBeUndefined();
    const none = await render({ podDisruptionBudget: { enabled: false } });
    expect(none.has('PodDisruptionBudget')).toBe(false);
  });
});

describe('networkpolicy.yaml', () => {
  it('should open the management port to monitoring only', async () => {
    const { spec } = (await render()).get('NetworkPolicy');
    const [clients, monitoring] = list(spec['ingress']);
    expect(clients).toEqual({ ports: [{ port: 17000, protocol: 'TCP' }] });
    expect(monitoring).toEqual({
      ports: [{ port: 18000, protocol: 'TCP' }],
      from: [
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
      ],
    });
    const closed = await render({ networkPolicy: { monitoring: [] } });
    expect(list(closed.get('NetworkPolicy').spec['ingress'])).toHaveLength(1);
  });

  it('should let out to DNS, Redis and what is listed, and to nothing else', async () => {
    const { spec } = (await render({ externalRedis: { url: 'rediss://r.example.com:6380' } })).get(
      'NetworkPolicy',
    );
    expect(spec['policyTypes']).toEqual(['Ingress', 'Egress']);
    const ports = list(spec['egress']).map((rule) => list(rule['ports']).map(({ port }) => port));
    expect(ports).toEqual([[53, 53], [6380], [443, 9090, 9093]]);
    const sentinels = 'redis+sentinel://a:26379,b:26380,c/m';
    const watched = await render({ externalRedis: { url: sentinels } });
    const redisPorts = (rendered: typeof watched): unknown =>
      list(rendered.get('NetworkPolicy').spec['egress'])[1]!['ports'];
    expect(redisPorts(watched)).toEqual(
      [26379, 26380, 6379].map((port) => ({ port, protocol: 'TCP' })),
    );
    const shards = await render({ externalRedis: { url: 'redis+cluster://a:7001,b:7002,c:7002' } });
    expect(redisPorts(shards)).toEqual([7001, 7002].map((port) => ({ port, protocol: 'TCP' })));
    const least = await render({ networkPolicy: { egress: [], redisPort: 7000 } });
    expect(list(least.get('NetworkPolicy').spec['egress']).at(-1)).toEqual({
      ports: [{ port: 7000, protocol: 'TCP' }],
    });
  });
});

describe('servicemonitor.yaml', () => {
  it('should scrape the management port of gateways, ready or not, as job nightjar', async () => {
    const rendered = await render({ serviceMonitor: { enabled: true } });
    const service = rendered.get('Service', 'rel-nightjar-management');
    expect(service.spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
    const monitor = rendered.get('ServiceMonitor').spec;
    expect(service.metadata.labels).toMatchObject(monitor['selector']!['matchLabels'] as object);
    // The clients' Service has no such port and must not be matched.
    const clients = rendered.get('Service', 'rel-nightjar').metadata.labels;
    expect(clients).not.toHaveProperty('nightjar/port');
    expect(list(monitor['endpoints'])[0]).toMatchObject({
      port: 'management',
      path: '/metrics',
      relabelings: [{ targetLabel: 'job', replacement: 'nightjar' }],
    });
  });
});

describe('prometheusrule.yaml', () => {
  it('should hold the rules of files/alerts.yaml, with the runbook’s address', async () => {
    const runbookUrl = 'https://wiki.example.com/runbook';
    const rendered = await render({ prometheusRule: { enabled: true, runbookUrl } });
    const text = (await readChart('files/alerts.yaml')).replaceAll(
      'docs/runbook.md#',
      `${runbookUrl}#`,
    );
    expect(rendered.get('PrometheusRule').spec).toEqual(parse(text));
    expect(text).toContain(`${runbookUrl}#nightjarerrors`);
  });
});

describe('dashboard.yaml', () => {
  it('should hold the dashboard as it is', async () => {
    const rendered = await render({ dashboard: { enabled: true } });
    const map = rendered.get('ConfigMap', 'rel-nightjar-dashboard');
    expect(map.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
    expect(JSON.parse(map.data['nightjar.json']!)).toEqual(
      JSON.parse(await readChart('files/dashboard.json')),
    );
  });
});

describe('redis.yaml', () => {
  it('should start a Redis that keeps what it is told, reachable by gateways only', async () => {
    const rendered = await renderAlone({ redis: { enabled: true } });
    const set = rendered.get('StatefulSet', 'rel-nightjar-redis').spec;
    const [redis] = list(set['template']!['spec']!['containers']);
    const args = (redis!['args'] as unknown as string[]).join(' ');
    expect(args).toContain('--appendonly yes');
    expect(args).toContain('--maxmemory-policy noeviction');
    expect(set['serviceName']).toBe(rendered.get('Service', 'rel-nightjar-redis').metadata.name);
    expect(rendered.env['REDIS_URL']).toBe('redis://rel-nightjar-redis:6379');
    const policy = rendered.get('NetworkPolicy', 'rel-nightjar-redis').spec;
    expect(list(policy['ingress'])[0]!['from']).toEqual([
      { podSelector: { matchLabels: SELECTOR } },
    ]);
    expect(policy['egress']).toEqual([]);
    const gateways = rendered.get('NetworkPolicy', 'rel-nightjar').spec;
    const toRedis = list(gateways['egress'])[1]!['to'] as unknown as {
      podSelector: { matchLabels: object };
    }[];
    expect(set['template']!['metadata']!['labels']).toMatchObject(
      toRedis[0]!.podSelector.matchLabels,
    );
  });

  it('should not be selected by the clients’ Service, nor gateways by its', async () => {
    const rendered = await renderAlone({ redis: { enabled: true } });
    const labels = rendered.get('StatefulSet').spec['template']!['metadata']!['labels']!;
    expect(labels['app.kubernetes.io/component']).toBe('redis');
    expect(rendered.get('Service', 'rel-nightjar').spec['selector']).toEqual(SELECTOR);
  });
});

describe('serviceaccount.yaml', () => {
  it('should be one without a token, or an existing one', async () => {
    const own = await render();
    expect(own.get('ServiceAccount')).toMatchObject({ automountServiceAccountToken: false });
    expect(own.pod['serviceAccountName']).toBe('rel-nightjar');
    const other = await render({ serviceAccount: { create: false, name: 'mine' } });
    expect(other.has('ServiceAccount')).toBe(false);
    expect(other.pod['serviceAccountName']).toBe('mine');
  });
});

describe('README.md', () => {
  it('should show values that render', async () => {
    const [, example = ''] = /```yaml\n([^]*?)```/.exec(await readChart('README.md')) ?? [];
    const rendered = await renderAlone(parse(example) as object);
    expect(rendered.has('Ingress')).toBe(true);
    expect(rendered.env['REDIS_URL']).toMatchObject({ secretKeyRef: { name: 'nightjar-redis' } });
  });
});

describe('NOTES.txt', () => {
  it('should name the next command', async () => {
    const text = await notes({ ...LEAST, config: { tenants: [{ id: 'acme' }] } });
    expect(text).toContain('rollout status deployment/rel-nightjar');
    expect(text).toContain('token create --tenant acme');
    expect(text).not.toContain('for trials');
  });

  it('should say what is missing or only a trial', async () => {
    const text = await notes({
      redis: { enabled: true },
      replicaCount: 1,
      networkPolicy: { enabled: false },
    });
    expect(text).toContain('No tenant is configured');
    expect(text).toContain('redis.enabled is for trials');
    expect(text).toContain('networkPolicy is off');
    expect(text).toContain('with one gateway every upgrade interrupts streams');
  });
});
