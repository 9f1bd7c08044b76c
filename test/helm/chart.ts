import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';

const run = promisify(execFile);

export const CHART = join(import.meta.dirname, '../../helm/nightjar');
export const RELEASE = 'rel';
export const NAMESPACE = 'ops';
/** Whatever Kubernetes helm was built for. */
export const KUBE = ['--kube-version', '1.34.0'] as const;

/** As deep as a test asks; what is not there is undefined. */
export interface Json {
  readonly [key: string]: Json;
}

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Json;
  readonly data: Readonly<Record<string, string>>;
}

/** The smallest values that render; tests add to them. */
export const LEAST = { externalRedis: { url: 'redis://redis:6379' } } as const;

/** Where `make helm-test` found a tool. @throws Error: a missing tool is a failed test. */
export function tool(name: 'HELM' | 'KUBERNETES_VALIDATE'): string {
  const path = process.env[name];
  if (path === undefined || path === '') throw new Error(`${name} is not set: use make helm-test`);
  return path;
}

/** helm with the chart's folder as its last argument. @throws Error with what helm wrote. */
export async function helm(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(tool('HELM'), [...args, CHART], { maxBuffer: 32 * 1024 * 1024 });
  return stdout;
}

/** Names of the values files in ci/, one for each supported set-up. */
export async function ciFiles(): Promise<string[]> {
  const names = (await readdir(join(CHART, 'ci'))).filter((name) => name.endsWith('-values.yaml'));
  if (names.length === 0) throw new Error('ci/ has no values files');
  return names.sort();
}

export function renderCi(file: string): Promise<string> {
  return template('--values', join(CHART, 'ci', file));
}

/** The objects that `values` over LEAST make. @throws Error with helm's text when it refuses. */
export async function render(values: object = {}): Promise<Rendered> {
  return renderAlone({ ...LEAST, ...values });
}

export async function renderAlone(values: object): Promise<Rendered> {
  const dir = await mkdtemp(join(tmpdir(), 'nightjar-helm-'));
  try {
    // JSON is YAML.
    await writeFile(join(dir, 'values.yaml'), JSON.stringify(values));
    return new Rendered(await template('--values', join(dir, 'values.yaml')));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export class Rendered {
  readonly objects: readonly KubernetesObject[];

  constructor(readonly text: string) {
    this.objects = parseAllDocuments(text)
      .map((document) => document.toJS() as KubernetesObject | null)
      .filter((object) => object !== null);
  }

  /** One text for each object. */
  get documents(): string[] {
    return this.text.split(/^---$/m).filter((text) => /^kind: /m.test(text));
  }

  /** The only object of a kind, or the one of that name. @throws Error when there is none. */
  get(kind: string, name?: string): KubernetesObject {
    const found = this.all(kind).filter(
      (object) => name === undefined || object.metadata.name === name,
    );
    if (found.length !== 1) throw new Error(`${found.length} of ${kind} ${name ?? ''}`);
    return found[0]!;
  }

  all(kind: string): KubernetesObject[] {
    return this.objects.filter((object) => object.kind === kind);
  }

  has(kind: string): boolean {
    return this.all(kind).length > 0;
  }

  /** The pod of the gateway's Deployment. */
  get pod(): Json {
    return this.get('Deployment').spec['template']!['spec']!;
  }

  /** The gateway's container. */
  get container(): Json {
    return (this.pod['containers'] as unknown as Json[])[0]!;
  }

  /** The gateway's environment: a value, or where it comes from. */
  get env(): Readonly<Record<string, unknown>> {
    const entries = this.container['env'] as unknown as {
      name: string;
      value?: string;
      valueFrom?: object;
    }[];
    return Object.fromEntries(
      entries.map(({ name, value, valueFrom }) => [name, value ?? valueFrom]),
    );
  }

  /** nightjar.yaml as the gateway reads it. */
  get configFile(): string {
    return this.get('ConfigMap', this.get('Deployment').metadata.name).data['nightjar.yaml']!;
  }
}

/** What helm would print after installing with `values`; helm itself prints it only with a cluster. */
export async function notes(values: object): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'nightjar-helm-'));
  const chart = join(dir, 'nightjar');
  try {
    await cp(CHART, chart, { recursive: true });
    await rename(join(chart, 'templates/NOTES.txt'), join(chart, 'NOTES.txt'));
    const shown = 'notes: |\n  {{- tpl (.Files.Get "NOTES.txt") . | nindent 2 }}\n';
    await writeFile(join(chart, 'templates/notes.yaml'), shown);
    await writeFile(join(dir, 'values.yaml'), JSON.stringify(values));
    const args = ['--values', join(dir, 'values.yaml'), '--show-only', 'templates/notes.yaml'];
    const command = ['template', RELEASE, ...KUBE, '--namespace', NAMESPACE, ...args, chart];
    const { stdout } = await run(tool('HELM'), command);
    return (parse(stdout) as { notes: string }).notes;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export function readChart(path: string): Promise<string> {
  return readFile(join(CHART, path), 'utf8');
}

async function template(...args: readonly string[]): Promise<string> {
  return helm('template', RELEASE, ...KUBE, '--namespace', NAMESPACE, ...args);
}
