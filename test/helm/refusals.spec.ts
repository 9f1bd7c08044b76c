import { describe, expect, it } from 'vitest';
import { LEAST, render, renderAlone } from './chart.js';

const PUBLIC = { publicUrl: 'https://nightjar.example.com' };
const PARENT = [{ name: 'public' }];

describe('values that cannot work', () => {
  it.each<[string, object, string]>([
    ['no Redis', { externalRedis: { url: '' } }, 'Nightjar needs a Redis'],
    ['two Redis', { redis: { enabled: true } }, 'choose one of them'],
    [
      'a URL and a secret',
      { externalRedis: { url: 'redis://r:1', existingSecret: 's' } },
      'choose one of them',
    ],
    ['Redis in config', { config: { redis: { url: 'redis://r' } } }, 'config.redis.url is set'],
    ['listen in config', { config: { listen: { port: 1 } } }, 'config.listen is set by the chart'],
    ['management in config', { config: { management: {} } }, 'config.management is set'],
    [
      'a variable that no pod gets',
      { config: { push: { encryptionKey: { env: 'PUSH_KEY' } } } },
      'config names the variable PUSH_KEY',
    ],
    [
      'a variable of the chart',
      { secretEnv: [{ name: 'REDIS_URL', secretName: 's', key: 'k' }] },
      'REDIS_URL is set by the chart',
    ],
    [
      'a variable twice',
      { secretEnv: [{ name: 'A', secretName: 's', key: 'k' }], extraEnv: [{ name: 'A' }] },
      'the same variable twice',
    ],
    ['too short a grace period', { terminationGracePeriodSeconds: 35 }, 'must be above 35'],
    [
      'a longer drain than the grace period',
      { terminationGracePeriodSeconds: 60, config: { execution: { drainSeconds: 90 } } },
      'must be above 100',
    ],
    [
      'fewer at most than at least',
      { autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 2 } },
      'minReplicas is above',
    ],
    [
      'scaling by nothing',
      { autoscaling: { enabled: true, targetCPUUtilizationPercentage: 0 } },
      'needs targetCPUUtilizationPercentage or targetOpenStreams',
    ],
    [
      'scaling by CPU without a request',
      { autoscaling: { enabled: true } },
      'resources.requests.cpu',
    ],
    [
      'both budgets',
      { podDisruptionBudget: { minAvailable: 1, maxUnavailable: 1 } },
      'exclude each other',
    ],
    ['no budget', { podDisruptionBudget: { maxUnavailable: '' } }, 'needs minAvailable or'],
    ['a budget of 0', { podDisruptionBudget: { maxUnavailable: 0 } }, 'block every drain'],
    [
      'a budget that nothing meets',
      { podDisruptionBudget: { maxUnavailable: '', minAvailable: 2 } },
      'must be below the number of gateways (2)',
    ],
    ['an Ingress without a URL', { ingress: { enabled: true } }, 'config.publicUrl is required'],
    [
      'a route without a Gateway',
      { httpRoute: { enabled: true }, config: PUBLIC },
      'httpRoute.parentRefs is empty',
    ],
    [
      'a route of a URL with a path',
      { httpRoute: { enabled: true, parentRefs: PARENT }, config: { publicUrl: 'https://a.b/c' } },
      'config.publicUrl has a path',
    ],
    [
      'a host that the gateway refuses',
      { ingress: { enabled: true, hosts: ['other.example.com'] }, config: PUBLIC },
      'other.example.com is neither',
    ],
  ])('should refuse %s with a sentence', async (_what, values, sentence) => {
    await expect(render(values)).rejects.toThrow(sentence);
  });

  it.each<[string, object]>([
    ['at the top', { replicas: 3 }],
    ['in a section', { service: { prot: 80 } }],
    ['in a deep section', { redis: { image: { repo: 'redis' } } }],
    ['in a list', { secretEnv: [{ name: 'A', secretName: 's', key: 'k', optional: true }] }],
  ])('should refuse a key that does not exist %s', async (_where, values) => {
    await expect(render(values)).rejects.toThrow(/additional propert/i);
  });

  it.each<[string, object]>([
    ['a password in the URL', { externalRedis: { url: 'redis://:secret@redis:6379' } }],
    ['another scheme', { externalRedis: { url: 'http://redis:6379' } }],
    ['a text for a number', { replicaCount: 'two' }],
    ['an unknown policy', { image: { pullPolicy: 'Sometimes' } }],
  ])('should refuse %s by the schema', async (_what, values) => {
    await expect(render(values)).rejects.toThrow("values don't meet the specifications");
  });

  it('should accept what the refusals ask for', async () => {
    const fixed = {
      ...LEAST,
      secretEnv: [{ name: 'PUSH_KEY', secretName: 's', key: 'k' }],
      config: { ...PUBLIC, push: { encryptionKey: { env: 'PUSH_KEY' } }, allowedHosts: ['b.c'] },
      terminationGracePeriodSeconds: 36,
      resources: { requests: { cpu: '1' } },
      autoscaling: { enabled: true, minReplicas: 3 },
      podDisruptionBudget: { maxUnavailable: '', minAvailable: 2 },
      ingress: { enabled: true, hosts: ['nightjar.example.com', 'b.c'] },
      httpRoute: { enabled: true, parentRefs: PARENT },
    };
    expect((await renderAlone(fixed)).has('Ingress')).toBe(true);
    // What comes as a whole cannot be looked into.
    const whole = { config: { push: { encryptionKey: { env: 'K' } } }, extraEnvFrom: [{}] };
    expect((await render(whole)).has('Deployment')).toBe(true);
  });
});
