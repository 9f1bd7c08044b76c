import { Injectable } from '@nestjs/common';
import type { BegunWrite } from '../assistant/writes/write-plan.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { asList, type RedisClient, runScript, type ScriptReply } from '../redis/scripts.js';
import { type Outcome, outcome } from './outcome.js';
import type { TaskKeys } from './task-ref.js';

/** See lua/mark-effect-1.lua. */
export type EffectPhase = 'intent' | 'link' | 'outcome';

/** Something that is about to be, or was, changed outside. */
export interface Effect {
  readonly id: string;
  readonly phase: EffectPhase;
  /** For people, except where it links to something. */
  readonly text: string;
  /** Of an intent: by this another instance can look what became of it. */
  readonly plan?: BegunWrite;
}

/** What a run was about to do outside and did not report on. */
export type OpenEffect = Omit<Effect, 'phase'>;

/** The run that an effect is of. */
export interface EffectOwner {
  readonly epoch: number;
  /** The instance. */
  readonly owner: string;
}

/** Before the id, in the names of the task's fields. */
const FIELD = 'effect:';
const PLAN = 'plan:';

/**
 * What the runs of a task change outside, recorded with the task before and after: whoever runs it
 * next, or ends it, must know. And the links to remote agents that its context keeps.
 */
@Injectable()
export class RedisEffectStore {
  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /** The value is what became of it, when an earlier attempt has done it already. */
  async mark(
    keys: TaskKeys,
    { epoch, owner }: EffectOwner,
    { id, phase, text, plan }: Effect,
  ): Promise<Outcome<{ readonly before?: string }>> {
    const kept = plan === undefined ? '' : JSON.stringify(plan);
    const args = [epoch, id, phase, text, owner, kept];
    const reply = await this.run('mark-effect', [keys.task], args);
    return outcome(reply, () => (Number(reply[0]) === 2 ? { before: String(reply[1]) } : {}));
  }

  /** What became of an effect, in words; undefined while that is open, or for one that is not known. */
  async outcomeOf(keys: TaskKeys, id: string): Promise<string | undefined> {
    const recorded = parse(await this.redis.writes.hget(keys.task, `${FIELD}${id}`));
    return recorded?.phase === 'outcome' ? recorded.text : undefined;
  }

  /** What is recorded of the effects whose ids begin with `prefix`, in no order. */
  recorded(keys: TaskKeys, prefix: string): Promise<readonly Effect[]> {
    return read(this.redis.writes, keys.task, prefix);
  }

  /** What a task's runs were about to do outside and did not report on, in the order of the ids. */
  async open(tenant: string, taskId: string): Promise<OpenEffect[]> {
    const { control } = this.redis;
    const task = this.keys.task(tenant, taskId);
    const open = (await read(control, task, ''))
      .filter(({ phase }) => phase === 'intent')
      .sort((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }));
    if (open.length === 0) return [];
    const plans = await control.hmget(task, ...open.map(({ id }) => `${PLAN}${id}`));
    return open.map(({ id, text }, index) => {
      const plan = plans[index];
      if (typeof plan !== 'string') return { id, text };
      return { id, text, plan: JSON.parse(plan) as BegunWrite };
    });
  }

  /** @returns a refusal code, or undefined when it is kept. */
  async keepLink(
    keys: TaskKeys,
    epoch: number,
    remote: string,
    link: string,
  ): Promise<number | undefined> {
    const both = [keys.task, keys.context];
    const kept = outcome(await this.run('keep-link', both, [epoch, remote, link]), () => undefined);
    return kept.ok ? undefined : kept.code;
  }

  /** What `keepLink` has kept with the context; undefined when there is nothing. */
  async linkOf(keys: TaskKeys, remote: string): Promise<string | undefined> {
    return (await this.redis.writes.hget(keys.context, `remote:${remote}`)) ?? undefined;
  }

  private async run(
    name: 'mark-effect' | 'keep-link',
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<readonly ScriptReply[]> {
    return asList(await runScript(this.redis.writes, name, keys, args));
  }
}

async function read(client: RedisClient, task: string, prefix: string): Promise<Effect[]> {
  const names = (await client.hkeys(task)).filter((name) => name.startsWith(FIELD + prefix));
  if (names.length === 0) return [];
  const values = await client.hmget(task, ...names);
  return names.flatMap((name, index) => {
    const effect = parse(values[index]);
    return effect === undefined ? [] : [{ id: name.slice(FIELD.length), ...effect }];
  });
}

/** A field holds the phase and the text. */
function parse(value: string | null | undefined): Omit<Effect, 'id'> | undefined {
  const [, phase, text = ''] = /^(intent|link|outcome) ([^]*)/.exec(value ?? '') ?? [];
  return phase === undefined ? undefined : { phase: phase as EffectPhase, text };
}
