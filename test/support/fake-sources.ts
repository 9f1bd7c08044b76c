import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import { BuiltinBackend } from '../../src/assistant/builtin/builtin-backend.js';
import type { Redactor } from '../../src/assistant/llm/redactor.js';
import { fingerprintOf } from '../../src/assistant/sources/fingerprint.js';
import type { Runbooks } from '../../src/assistant/sources/runbooks.js';
import { asLabels } from '../../src/assistant/sources/shape.js';
import { SourceError } from '../../src/assistant/sources/source-error.js';
import type {
  Alert,
  MetricsSource,
  NewSilence,
  QueryResult,
  Rule,
  Silence,
  Source,
  Target,
} from '../../src/assistant/sources/source.types.js';
import { TenantSources } from '../../src/assistant/sources/tenant-sources.js';
import type { JsonValue } from '../../src/domain/a2a.js';

/** The clock of all tests here: a Monday. */
export const NOW = Date.parse('2026-11-30T09:30:00Z');
export const MINUTE = 60_000;

/** An alert with defaults; `age` in minutes before NOW. */
export function alertOf(
  labels: Readonly<Record<string, string>>,
  more: Partial<Alert> & { readonly age?: number; readonly summary?: string } = {},
): Alert {
  const { age = 10, summary, ...rest } = more;
  const set = asLabels(labels, 'labels');
  return {
    source: 'fake-am',
    fingerprint: fingerprintOf(set),
    labels: set,
    annotations: asLabels(summary === undefined ? {} : { summary }, 'annotations'),
    state: 'active',
    startsAt: NOW - age * MINUTE,
    silencedBy: [],
    inhibitedBy: [],
    receivers: ['pager'],
    ...rest,
  };
}

export interface FakeFacts {
  readonly alerts?: readonly Alert[];
  readonly silences?: readonly Silence[];
  readonly targets?: readonly Target[];
  readonly rules?: readonly Rule[];
  /** Answers a query; its arguments are kept in `asked`. */
  readonly query?: (expr: string, at: number) => QueryResult;
}

/** An in-memory Alertmanager and Prometheus. Replace a method to make it fail. */
export class FakeSources {
  readonly asked: { expr: string; range?: readonly [number, number]; at?: number }[] = [];
  alerts: readonly Alert[];
  /** Silences that were made here. */
  readonly created: NewSilence[] = [];
  readonly router: Source;
  readonly metrics: Source;
  /** Pages that may be read; by default none. */
  runbooks: Runbooks | undefined;
  /** Knows secrets; by default none. */
  redactor: Redactor | undefined;

  constructor(facts: FakeFacts = {}) {
    this.alerts = facts.alerts ?? [];
    const common = { health: () => Promise.resolve('fake 1.0'), close: () => Promise.resolve() };
    this.router = {
      ...common,
      name: 'fake-am',
      type: 'alertmanager',
      alerts: { view: 'router', list: () => Promise.resolve(this.alerts) },
      silences: {
        list: () => Promise.resolve(facts.silences ?? []),
        groups: () => Promise.resolve([]),
      },
      silenceWrites: {
        create: (silence) => {
          this.created.push(silence);
          return Promise.resolve(`silence-${String(this.created.length)}`);
        },
        expire: () => Promise.resolve(),
      },
    };
    const empty: QueryResult = { kind: 'vector', series: [], warnings: [] };
    const metrics: MetricsSource = {
      targets: () => Promise.resolve(facts.targets ?? []),
      rules: () => Promise.resolve(facts.rules ?? []),
      query: (expr, at) => {
        this.asked.push(at === undefined ? { expr } : { expr, at });
        return Promise.resolve(facts.query?.(expr, at ?? NOW) ?? empty);
      },
      queryRange: (expr, { start, end }) => {
        this.asked.push({ expr, range: [start, end] });
        return Promise.resolve({ ...(facts.query?.(expr, end) ?? empty), kind: 'matrix' });
      },
    };
    this.metrics = { ...common, name: 'fake-prom', type: 'prometheus', metrics };
  }

  /** As a tenant has them. */
  get all(): TenantSources {
    const { runbooks, redactor } = this;
    return new TenantSources([this.router, this.metrics], {
      ...(runbooks === undefined ? {} : { runbooks }),
      ...(redactor === undefined ? {} : { redactor }),
    });
  }

  backend(): BuiltinBackend {
    return new BuiltinBackend(this.all, () => NOW);
  }
}

/** The source, out of reach: whatever it is asked fails. */
export function broken(source: Source): Source {
  const down = () =>
    Promise.reject(new SourceError(source, { kind: 'unreachable', code: 'ECONNREFUSED' }));
  return {
    ...source,
    ...(source.alerts === undefined ? {} : { alerts: { view: source.alerts.view, list: down } }),
    ...(source.silences === undefined ? {} : { silences: { list: down, groups: down } }),
    ...(source.metrics === undefined
      ? {}
      : { metrics: { targets: down, rules: down, query: down, queryRange: down } }),
  };
}

export function turnOf(text: string, more: Partial<Turn> = {}): Turn {
  return {
    tenant: 'acme',
    user: 'ann',
    taskId: 'task-1',
    contextId: 'ctx-1',
    turn: 1,
    attempt: 1,
    message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text }] },
    text,
    history: [],
    ...more,
  };
}

/** A conversation: each question sees the memory of those before it. */
export class Talk {
  private history: Turn['history'] = [];
  frames: readonly Frame[] = [];

  constructor(private readonly sources: Pick<FakeSources, 'backend'>) {}

  /** Asks and returns the text of the answer. */
  async ask(text: string, more: Partial<Turn> = {}): Promise<string> {
    const turn = this.history.length + 1;
    const frames: Frame[] = [];
    const run = this.sources
      .backend()
      .run(turnOf(text, { turn, history: this.history, ...more }), new AbortController().signal);
    for await (const frame of run) frames.push(frame);
    this.frames = frames;
    const answer = contentOf(frames);
    const memory = frames.find((frame) => frame.kind === 'memory')?.data;
    this.history = [...this.history, pastOf(turn, text, answer, memory)];
    return answer;
  }
}

export function contentOf(frames: readonly Frame[]): string {
  return frames.map((frame) => (frame.kind === 'content' ? frame.text : '')).join('');
}

function pastOf(
  turn: number,
  user: string,
  assistant: string,
  memory: JsonValue | undefined,
): Turn['history'][number] {
  return { turn, user, assistant, complete: true, ...(memory === undefined ? {} : { memory }) };
}
