import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { CHART, ciFiles, helm, KUBE, renderCi, Rendered, tool } from './chart.js';
import { customResourceFault } from './custom-resources.js';

const run = promisify(execFile);
/** The oldest Kubernetes that Chart.yaml allows, and the newest whose schemas are at hand. */
const KUBERNETES = ['1.27', '1.37'];

const FILES = await ciFiles();
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nightjar-helm-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe.each(FILES)('ci/%s', (file) => {
  let rendered: Rendered;
  beforeAll(async () => {
    rendered = new Rendered(await renderCi(file));
  });

  it('should pass helm lint --strict', async () => {
    const output = await helm('lint', '--strict', ...KUBE, '--values', join(CHART, 'ci', file));
    expect(output).toContain('0 chart(s) failed');
  });

  it('should render objects that Kubernetes knows, key by key', async () => {
    // The text as helm wrote it: `off` without quotes would be a boolean to Kubernetes.
    const own = rendered.documents.filter(
      (text) => !/^kind: (ServiceMonitor|PrometheusRule|HTTPRoute)$/m.test(text),
    );
    expect(own.length).toBeGreaterThanOrEqual(3);
    const path = join(dir, file);
    await writeFile(path, own.join('---\n'));
    const versions = KUBERNETES.flatMap((version) => ['-k', version]);
    const args = ['--strict', '--no-warn', ...versions, path];
    const { stdout } = await run(tool('KUBERNETES_VALIDATE'), args);
    expect(stdout.match(/passed/gi)).toHaveLength(own.length * KUBERNETES.length);
  });

  it('should render custom resources that their controllers understand', () => {
    const faults = rendered.objects
      .map((object) => [object.kind, customResourceFault(object)])
      .filter(([, fault]) => fault !== 'not custom' && fault !== undefined);
    expect(faults).toEqual([]);
  });

  it('should give the gateway a configuration that it starts with', () => {
    const environment: Record<string, string> = {};
    for (const [name, value] of Object.entries(rendered.env)) {
      environment[name] = typeof value === 'string' ? value : secret(name);
    }
    const config = loadConfig({
      environment,
      file: '/etc/nightjar/config/nightjar.yaml',
      files: {
        read: (path) => (path.endsWith('nightjar.yaml') ? rendered.configFile : secret(path)),
        exists: () => true,
      },
    });
    expect(config.listen.port).toBe(17_000);
    expect(config.management).toMatchObject({ host: '10.1.2.3', port: 18_000 });
    expect(config.tenants).toHaveLength(1);
    const grace = rendered.pod['terminationGracePeriodSeconds'] as unknown as number;
    expect(grace).toBeGreaterThan(config.execution.drainSeconds + 5);
  });

  it('should name everything once, in the release’s namespace, with the labels of its owner', () => {
    const names = rendered.objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { metadata } of rendered.objects) {
      expect(metadata.namespace).toBe('ops');
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/instance': 'rel',
        'app.kubernetes.io/managed-by': 'Helm',
      });
    }
  });

  it('should select pods by labels that they have and that no upgrade changes', () => {
    for (const kind of ['Deployment', 'StatefulSet']) {
      for (const { spec } of rendered.all(kind)) {
        const selected = spec['selector']!['matchLabels'] as unknown as Record<string, string>;
        expect(spec['template']!['metadata']!['labels']).toMatchObject(selected);
        expect(Object.keys(selected)).not.toContain('helm.sh/chart');
        expect(Object.keys(selected)).not.toContain('app.kubernetes.io/version');
      }
    }
  });

  it('should run every container without rights and on a read-only root', () => {
    for (const kind of ['Deployment', 'StatefulSet']) {
      for (const { spec } of rendered.all(kind)) {
        const pod = spec['template']!['spec']!;
        expect(pod['automountServiceAccountToken']).toBe(false);
        expect(pod['securityContext']).toMatchObject({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const container of pod['containers'] as unknown as object[]) {
          expect(container).toMatchObject({
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
          });
        }
      }
    }
  });
});

/** What a secret could hold: any reader of one takes this. */
function secret(name: string): string {
  if (name === 'MANAGEMENT_HOST') return '10.1.2.3';
  if (name === 'REDIS_URL') return 'rediss://user:password@redis.example.com:6380';
  return '0123456789abcdef'.repeat(4);
}
