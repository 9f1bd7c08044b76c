import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Task } from '../../../src/domain/a2a.js';
import { A2aClient } from '../../support/a2a-client.js';
import { type Alertmanager, startAlertmanager } from '../../support/alertmanager.js';
import { freePort } from '../../support/free-port.js';
import { caller, Fleet } from '../../support/gateway.js';
import { type Exporter, startExporter, startPrometheus } from '../../support/prometheus.js';
import { randomOf } from '../../support/random-alerts.js';
import { RedisServer } from '../../support/redis-server.js';
import type { ServiceProcess } from '../../support/service-process.js';
import { eventually } from '../../support/wait.js';
import { type Judgement, judge, namedIn } from './judge.js';
import type { FactAlert, Facts, FactSilence, Phrasing, Question } from './phrasing.js';
import { PAGE_STEPS, World } from './world.js';

export interface Outcome extends Judgement {
  readonly text: string;
  readonly answer: string;
  /** What the answer cites: of each tool that was called, its result as it stands in the evidence. */
  readonly evidence: readonly string[];
}

const HOSTS = {
  'system_load1{ident="edge-41"}': 2.5,
  'system_load1{ident="edge-42"}': 0.5,
  'mem_used_percent{ident="edge-41"}': 61,
  'mem_used_percent{ident="edge-42"}': 38,
  'cpu_usage_active{cpu="cpu-total",ident="edge-41"}': 83,
  'cpu_usage_active{cpu="cpu-total",ident="edge-42"}': 17,
};
const RULES = ['QuotaNearlyUsed', 'ShardsUnassigned', 'VolumeReadOnly'];

/** The services of one seed, and the one gateway that knows them only by its YAML file. */
export class Bench {
  private constructor(
    private readonly world: World,
    private readonly client: A2aClient,
    private readonly services: Services,
    private readonly close: readonly (() => Promise<unknown>)[],
  ) {}

  static async start(seed: number): Promise<Bench> {
    const world = new World(randomOf(seed));
    const close: (() => Promise<unknown>)[] = [];
    try {
      const services = await Services.start(world, close);
      const redis = await RedisServer.start();
      close.unshift(() => redis.stop());
      const oncall = caller('acme', 'oncall');
      const fleet = await Fleet.start(1, {
        redisUrl: redis.url,
        callers: [oncall],
        tenants: [
          {
            id: 'acme',
            assistant: { backend: 'builtin' },
            sources: [
              { type: 'alertmanager', name: 'pager', url: services.alertmanager.url },
              { type: 'prometheus', name: 'metrics', url: services.prometheus.url },
            ],
            runbooks: { hosts: ['127.0.0.1'], allowHttp: true, allowPrivate: ['127.0.0.0/8'] },
          },
        ],
      });
      close.unshift(() => fleet.stop());
      const client = new A2aClient(fleet.gateways[0]!.baseUrl, oncall.token);
      return new Bench(world, client, services, close);
    } catch (error) {
      for (const end of close) await end();
      throw error;
    }
  }

  async ask(phrasing: Phrasing): Promise<Outcome> {
    return (await this.turn(phrasing(this.world))).outcome;
  }

  async stop(): Promise<void> {
    for (const end of this.close) await end();
  }

  private async turn(question: Question): Promise<{ outcome: Outcome; contextId: string }> {
    const before = question.after && (await this.turn(question.after.question));
    if (before !== undefined && before.outcome.verdict !== 'understood') return before;
    const facts = await this.services.facts();
    const timezone = question.timezone;
    const task = await this.client.send(question.text, {
      ...(before === undefined ? {} : { contextId: before.contextId }),
      ...(timezone === undefined ? {} : { metadata: { timezone } }),
    });
    const text = [before?.outcome.text, question.text].filter(Boolean).join(' → ');
    const answer = answerOf(task);
    const { contextId } = task;
    if (task.status.state !== 'TASK_STATE_COMPLETED') {
      const why = `the task is ${task.status.state}`;
      return { contextId, outcome: { text, answer, verdict: 'not understood', why, evidence: [] } };
    }
    const place = question.after?.nth;
    const nth =
      place === undefined || before === undefined
        ? undefined
        : namedIn(before.outcome.answer, facts)[place - 1];
    const expected =
      nth === undefined
        ? await question.expected(facts)
        : ({ kind: 'detail', alert: byName(facts, nth) } as const);
    const judgement = judge({
      asked: question.text,
      answer,
      expected,
      facts,
      timezone: timezone ?? 'UTC',
    });
    return { contextId, outcome: { text, answer, ...judgement, evidence: evidenceOf(task) } };
  }
}

class Services {
  private constructor(
    readonly alertmanager: Alertmanager,
    readonly prometheus: ServiceProcess,
    private readonly targets: Facts['targets'],
  ) {}

  /** What is started is ended by what it puts in front of `close`. */
  static async start(world: World, close: (() => Promise<unknown>)[]): Promise<Services> {
    const alertmanager = await startAlertmanager();
    close.unshift(() => alertmanager.stop());
    const pages = await startPages();
    close.unshift(() => pages.stop());
    await alertmanager.post(world.posted(Date.now(), pages.url));
    await silence(alertmanager, `team=${world.silencedTeam}`);
    await silence(alertmanager, 'rack=r17');
    const exporter: Exporter = await startExporter();
    close.unshift(() => exporter.stop());
    for (const [app, stuck] of Object.entries(world.stuck)) {
      exporter.set(`batch_jobs_stuck{app="${app}"}`, stuck);
    }
    for (const [metric, value] of Object.entries(HOSTS)) exporter.set(metric, value);
    const down = await Promise.all([freePort(), freePort()]);
    const targets = { up: [exporter.target], down: down.map((port) => `127.0.0.1:${port}`) };
    const prometheus = await startPrometheus({
      scrape: [{ job: 'batch', targets: [...targets.up, ...targets.down] }],
      rules: RULES.map((alert) => ({
        alert,
        expr: 'absent(batch_jobs_stuck)',
        labels: { severity: 'warning' },
        for: '1h',
      })),
    });
    close.unshift(() => prometheus.stop());
    const services = new Services(alertmanager, prometheus, targets);
    await eventually('all is scraped, and the silence works', () => services.settled(), 30_000);
    return services;
  }

  async facts(): Promise<Facts> {
    const silences = (await this.alertmanager.get('/silences')) as FactSilence[];
    return {
      now: Date.now(),
      alerts: (await this.alertmanager.get('/alerts')) as FactAlert[],
      silences: silences.filter(({ status }) => status.state === 'active'),
      targets: this.targets,
      rules: RULES,
      evaluate: (promql) => this.evaluate(promql),
    };
  }

  private async settled(): Promise<boolean> {
    const { alerts, silences } = await this.facts();
    const states = alerts.map(({ status }) => status.state);
    return (
      silences.length === 2 &&
      states.includes('suppressed') &&
      !states.includes('unprocessed') &&
      (await this.evaluate('count(batch_jobs_stuck)')) === 2 &&
      (await this.evaluate('count(up == 0)')) === this.targets.down.length
    );
  }

  private async evaluate(promql: string): Promise<number> {
    const url = `${this.prometheus.url}/api/v1/query?query=${encodeURIComponent(promql)}`;
    const { data } = (await (await fetch(url)).json()) as {
      data: { result: { value: [number, string] }[] };
    };
    return Number(data.result[0]?.value[1] ?? Number.NaN);
  }
}

/** A wiki with a page for every path. */
async function startPages(): Promise<{ readonly url: string; stop(): Promise<unknown> }> {
  const steps = PAGE_STEPS.map((step, index) => `${String(index + 1)}. ${step}\n`).join('');
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/markdown');
    response.end(`# ${request.url ?? ''}\n\n${steps}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections();
      return once(server.close(), 'close');
    },
  };
}

async function silence(alertmanager: Alertmanager, matcher: string): Promise<void> {
  const how = ['--author=oncall', '--comment=maintenance', '--duration=2h'];
  await alertmanager.amtool('silence', 'add', matcher, ...how);
}

function byName(facts: Facts, name: string): FactAlert {
  return facts.alerts.find(({ labels }) => labels['alertname'] === name)!;
}

function evidenceOf(task: Task): readonly string[] {
  const result = task.artifacts?.find(({ name }) => name === 'result')?.parts[0]?.data;
  const { evidence = [] } = (result ?? {}) as { readonly evidence?: readonly { output: string }[] };
  return evidence.map(({ output }) => output);
}

function answerOf(task: Task): string {
  const artifact = task.artifacts?.find(({ name }) => name === 'answer');
  return (artifact?.parts ?? []).map((part) => part.text ?? '').join('\n');
}
