import { z } from 'zod';
import type { KubernetesObject } from './chart.js';

// kubernetes-validate knows Kubernetes' own kinds only. What this chart uses of three others, closed:
// a misspelt key is a fault. Sources: Prometheus operator's API reference (monitoring.coreos.com/v1),
// Gateway API's reference (gateway.networking.k8s.io/v1).
const labels = z.record(z.string(), z.string());
const duration = z.string().regex(/^(\d+(ms|[smhdwy]))+$/);
const metadata = z.strictObject({
  name: z.string().max(63),
  namespace: z.string(),
  labels,
  annotations: labels.optional(),
});

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ServiceMonitor: z.strictObject({
    apiVersion: z.literal('monitoring.coreos.com/v1'),
    kind: z.string(),
    metadata,
    spec: z.strictObject({
      selector: z.strictObject({ matchLabels: labels }),
      namespaceSelector: z.strictObject({ matchNames: z.array(z.string()) }),
      endpoints: z.array(
        z.strictObject({
          port: z.string(),
          path: z.string(),
          interval: duration,
          scrapeTimeout: duration,
          relabelings: z.array(
            z.strictObject({ targetLabel: z.string(), replacement: z.string() }),
          ),
        }),
      ),
    }),
  }),
  PrometheusRule: z.strictObject({
    apiVersion: z.literal('monitoring.coreos.com/v1'),
    kind: z.string(),
    metadata,
    spec: z.strictObject({
      groups: z.array(
        z.strictObject({
          name: z.string(),
          rules: z.array(
            z.strictObject({
              alert: z.string(),
              expr: z.string(),
              for: duration,
              labels,
              annotations: labels,
            }),
          ),
        }),
      ),
    }),
  }),
  HTTPRoute: z.strictObject({
    apiVersion: z.literal('gateway.networking.k8s.io/v1'),
    kind: z.string(),
    metadata,
    spec: z.strictObject({
      parentRefs: z
        .array(
          z.strictObject({
            name: z.string(),
            namespace: z.string().optional(),
            sectionName: z.string().optional(),
          }),
        )
        .min(1),
      hostnames: z.array(z.string()).min(1),
      rules: z.array(
        z.strictObject({
          matches: z.array(
            z.strictObject({
              path: z.strictObject({ type: z.literal('PathPrefix'), value: z.string() }),
            }),
          ),
          backendRefs: z.array(z.strictObject({ name: z.string(), port: z.number().int() })),
          timeouts: z
            .strictObject({ request: z.literal('0s'), backendRequest: z.literal('0s') })
            .optional(),
        }),
      ),
    }),
  }),
};

/** `not custom` for Kubernetes' own kinds; else what is wrong, or nothing. */
export function customResourceFault(object: KubernetesObject): string | undefined {
  const schema = SCHEMAS[object.kind];
  if (schema === undefined) return 'not custom';
  const checked = schema.safeParse(object);
  return checked.success ? undefined : checked.error.message;
}
