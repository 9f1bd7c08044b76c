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
import { World } from './world.js';

export interface Outcome extends Judgement {
  readonly text: string;
  readonly answer: string;
}

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
      return { contextId, outcome: { text, answer, verdict: 'not understood', why } };
    }
    const nth = before && namedIn(before.outcome.answer, facts)[question.after.nth - 1];
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
    return { contextId, outcome: { text, answer, ...judgement } };
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
    await alertmanager.post(world.posted(Date.now()));
    await silence(alertmanager, `team=${world.silencedTeam}`);
    await silence(alertmanager, 'rack=r17');
    const exporter: Exporter = await startExporter();
    close.unshift(() => exporter.stop());
    for (const [app, stuck] of Object.entries(world.stuck)) {
      exporter.set(`batch_jobs_stuck{app="${app}"}`, stuck);
    }
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

async function silence(alertmanager: Alertmanager, matcher: string): Promise<void> {
  const how = ['--author=oncall', '--comment=maintenance', '--duration=2h'];
  await alertmanager.amtool('silence', 'add', matcher, ...how);
}

function byName(facts: Facts, name: string): FactAlert {
  return facts.alerts.find(({ labels }) => labels['alertname'] === name)!;
}

function answerOf(task: Task): string {
  const artifact = task.artifacts?.find(({ name }) => name === 'answer');
  return (artifact?.parts ?? []).map((part) => part.text ?? '').join('\n');
}
