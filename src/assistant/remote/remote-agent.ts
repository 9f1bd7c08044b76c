import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { z } from 'zod';
import {
  type Client,
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import type { RemoteAgentConfig } from '../../config/config.types.js';
import { MOST_DEPTH } from '../../domain/agent-depth.js';
import type { Frame } from '../assistant-backend.js';
import { cleanText } from '../sources/clean-text.js';
import { parseInput, schemaOf } from '../tools/tool.js';
import { AgentCall, type AgentQuestion } from './agent-call.js';
import { type RemoteCard, readCard, type RemoteSkill } from './agent-card.js';
import type { OpenCall, RemoteLink } from './call-desk.js';
import { Keeper } from './keeper.js';
import { observeCall } from './observe-call.js';
import { isUndone, RemoteError } from './remote-error.js';
import { RemoteHttp } from './remote-http.js';
import { type CallScene, hashOf, type RemoteAnswer, type RemoteTool } from './remote-tool.js';
import { toolNames } from './tool-name.js';

const CARD_PATH = '.well-known/agent-card.json';
const CARD_BYTES = 512 * 1024;
const CARD_MS = 10_000;
/** What a model or a user may be shown of an answer. */
const ANSWER_CHARS = 200_000;
const SUMMARY_CHARS = 300;

const INPUT = z.strictObject({
  task: z
    .string()
    .min(1)
    .max(32_000)
    .describe('What it shall do, in full sentences: it sees nothing else.'),
});
const INPUT_SCHEMA = schemaOf(INPUT);

interface Known {
  readonly card: RemoteCard;
  readonly etag: string | null;
  /** By skill id. */
  readonly names: ReadonlyMap<string, string>;
}

/** An A2A agent of a tenant: what its card offers, and calls of it. */
export class RemoteAgent {
  readonly name: string;
  private readonly log = new Logger(RemoteAgent.name);
  private readonly http: RemoteHttp;
  private readonly keeper: Keeper<Known>;

  constructor(
    readonly config: RemoteAgentConfig,
    tenant: string,
  ) {
    this.name = config.name;
    this.http = new RemoteHttp(config.name, config);
    const where = { tenant, agent: config.name };
    this.keeper = new Keeper<Known>({
      fetch: (known, signal) => this.fetchCard(known, signal),
      onChange: ({ card, names }) => {
        const { version, binding, dropped } = card;
        this.log.log({
          msg: 'connected to an A2A agent',
          ...{ ...where, version, binding, skills: names.size },
          ...(dropped === 0 ? {} : { dropped }),
        });
      },
      onFailure: (error) => {
        this.log.warn({ msg: `an A2A agent cannot be used: ${wordsOf(error)}`, ...where });
      },
    });
  }

  start(): void {
    this.keeper.start();
  }

  async close(): Promise<void> {
    this.keeper.close();
    await this.http.close();
  }

  /** One for each skill that its card offers and the config lets through; none while it is unknown. */
  tools(): readonly RemoteTool[] {
    const known = this.keeper.known;
    if (known === undefined) return [];
    return this.skillsOf(known).flatMap((skill): RemoteTool[] => {
      const name = known.names.get(skill.id);
      return name === undefined ? [] : [this.toolOf(name, skill)];
    });
  }

  /** A tool that asks the agent whatever it is, without naming a skill. */
  anything(): RemoteTool {
    return this.toolOf(`${this.name}__`, undefined);
  }

  /** Waits a moment for a card that was never seen. */
  async ready(ms: number, signal: AbortSignal): Promise<void> {
    await this.keeper.ready(ms, signal);
  }

  /** Fetches the card now; a text for the operator or the tenant's users. */
  async health(): Promise<{ readonly ok: boolean; readonly text: string }> {
    await this.keeper.refresh();
    const { known, error } = this.keeper;
    if (error !== undefined || known === undefined) {
      return { ok: false, text: error === undefined ? 'not asked yet' : wordsOf(error) };
    }
    const { version, binding } = known.card;
    return {
      ok: true,
      text: `A2A ${version} (${binding}), ${String(this.skillsOf(known).length)} skills`,
    };
  }

  private skillsOf({ card }: Known): readonly RemoteSkill[] {
    const { skills } = this.config;
    return skills === undefined ? card.skills : card.skills.filter(({ id }) => skills.includes(id));
  }

  private toolOf(name: string, skill: RemoteSkill | undefined): RemoteTool {
    const { readOnly, policy } = this.config;
    return {
      name,
      remote: this.name,
      kind: 'agent',
      description: descriptionOf(this.name, skill),
      inputSchema: INPUT_SCHEMA,
      readOnly,
      policy,
      what: (args) => this.what(parseInput(INPUT, args).task),
      call: (args, scene) =>
        observeCall('remote_agent', scene, () => this.call(name, skill, args, scene)),
    };
  }

  private what(text: string): string {
    return `ask the agent ${this.name}: ${cleanText(text, SUMMARY_CHARS)}`;
  }

  private async *call(
    tool: string,
    skill: RemoteSkill | undefined,
    args: unknown,
    scene: CallScene,
  ): AsyncGenerator<Frame, RemoteAnswer> {
    const { task: text } = parseInput(INPUT, args);
    const { desk, turn } = scene;
    const { readOnly } = this.config;
    const plan = {
      remote: this.name,
      what: this.what(text),
      hash: hashOf(tool, args),
      readOnly,
    };
    const open = await desk?.open(plan);
    const { before } = open ?? {};
    if (before?.kind === 'answer') {
      await open?.end('done', before.text);
      return { success: true, certainty: 'done', text: repeated(before) };
    }
    const link = before === undefined ? await desk?.linkOf(this.name) : undefined;
    const question = {
      messageId: messageIdOf(turn, open?.id ?? hashOf(tool, [args, Date.now()])),
      text,
      ...(link === undefined ? {} : { contextId: link.contextId }),
      ...(link?.taskId === undefined ? {} : { taskId: link.taskId }),
      ...(turn.lang === undefined ? {} : { lang: turn.lang }),
      ...(skill === undefined ? {} : { skill: skill.id }),
      ...(before === undefined ? {} : { resume: before.taskId }),
    };
    const state = { ended: false };
    const end = async (certainty: RemoteAnswer['certainty'], words: string): Promise<void> => {
      state.ended = true;
      await open?.end(certainty, words);
    };
    try {
      const answer = yield* this.ask(question, scene, open);
      await end(answer.certainty, answer.text);
      return before === undefined || before.isSame
        ? answer
        : { ...answer, text: repeated({ what: before.what, text: answer.text }) };
    } catch (error) {
      scene.signal.throwIfAborted();
      if (!(error instanceof RemoteError)) throw error;
      const certainty = isUndone(error) && before === undefined ? 'refused' : 'unknown';
      await end(certainty, error.message);
      return { success: false, certainty, text: error.message };
    } finally {
      if (!state.ended) await open?.end('unknown', plan.what).catch(() => undefined);
    }
  }

  /** Once more without the conversation, where the remote does not know it any more. */
  private async *ask(
    question: AgentQuestion,
    scene: CallScene,
    open: OpenCall | undefined,
  ): AsyncGenerator<Frame, RemoteAnswer> {
    try {
      return yield* this.askOnce(question, scene, open);
    } catch (error) {
      if (scene.signal.aborted || !isGone(error)) throw error;
      const { contextId, taskId, ...fresh } = question;
      if (taskId !== undefined && contextId !== undefined) {
        // What was said answers that question: alone it may mean something else.
        await keep(scene.desk, this.name, { contextId });
        throw new RemoteError(this.name, {
          kind: 'refused',
          text: `its question is not open any more, so the answer to it was not taken (${error.fault.text})`,
        });
      }
      if (contextId === undefined || question.resume !== undefined) throw error;
      const messageId = `${question.messageId}-2`;
      return yield* this.askOnce({ ...fresh, messageId }, scene, open);
    }
  }

  private async *askOnce(
    question: AgentQuestion,
    scene: CallScene,
    open: OpenCall | undefined,
  ): AsyncGenerator<Frame, RemoteAnswer> {
    const { signal, desk, turn } = scene;
    const depth = (turn.depth ?? 0) + 1;
    if (depth > MOST_DEPTH) {
      throw new RemoteError(this.name, { kind: 'depth', depth: depth - 1 });
    }
    const { card } = await this.card(signal);
    const fetch = this.http.fetchAt(depth);
    const call = new AgentCall(
      {
        remote: this.name,
        client: await clientOf(card, fetch),
        streaming: card.streaming,
        fetch,
        maxSeconds: this.config.maxSeconds,
        failure: (error) => this.http.failure(error),
      },
      question,
      signal,
    );
    for await (const event of call.events()) {
      switch (event.kind) {
        case 'named':
          await Promise.all([
            open?.named(event.taskId),
            keep(desk, this.name, { contextId: event.contextId }),
          ]);
          break;
        case 'text':
          yield { kind: 'content', text: event.text };
          break;
        case 'reason':
          yield { kind: 'reason', text: event.text };
          break;
        case 'step':
          yield { kind: 'step', text: event.text };
          break;
        case 'part': {
          const type = event.part.metadata?.['n9e_content_type'];
          yield {
            kind: 'artifact',
            name: event.name,
            parts: [event.part],
            ...(typeof type === 'string' ? { contentType: cleanText(type, 60) } : {}),
          };
          break;
        }
      }
    }
    return this.result(call, scene);
  }

  private async result({ answer }: AgentCall, { desk }: CallScene): Promise<RemoteAnswer> {
    const { state, statusText, contextId, taskId } = answer;
    const isOpen = state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
    if (contextId !== undefined) {
      await keep(desk, this.name, {
        contextId,
        ...(isOpen && taskId !== undefined ? { taskId } : {}),
      });
    }
    const said = visible(statusText);
    const text = visible(answer.text);
    const whole = [text, said].filter((one) => one !== '').join('\n\n');
    switch (state) {
      case 'TASK_STATE_COMPLETED':
        return { success: true, certainty: 'done', text: text === '' ? said : text };
      case 'TASK_STATE_INPUT_REQUIRED':
      case 'TASK_STATE_AUTH_REQUIRED': {
        const kind = state === 'TASK_STATE_INPUT_REQUIRED' ? 'text' : 'auth';
        const question = said === '' ? 'It wants to hear more.' : said;
        return { success: true, certainty: 'done', text: whole, asks: { kind, question } };
      }
      default: {
        const ending =
          state === 'TASK_STATE_REJECTED'
            ? 'rejected'
            : state === 'TASK_STATE_CANCELED'
              ? 'canceled'
              : 'failed';
        const words = said === '' ? `its task was ${ending}` : said;
        return { success: false, certainty: 'done', text: `${this.name}: ${words}`, state: ending };
      }
    }
  }

  /** @throws RemoteError when there is none, and none can be got now. */
  private async card(signal: AbortSignal): Promise<Known> {
    const known = await this.keeper.ready(CARD_MS, signal);
    if (known !== undefined) return known;
    const { error } = this.keeper;
    throw error instanceof RemoteError
      ? error
      : new RemoteError(this.name, { kind: 'silent', seconds: CARD_MS / 1000 });
  }

  private async fetchCard(known: Known | undefined, signal: AbortSignal): Promise<Known> {
    const { name, config } = this;
    const base = new URL(config.url);
    const isCard = base.pathname.endsWith('.json');
    const url = isCard
      ? base
      : new URL(CARD_PATH, base.href.endsWith('/') ? base : `${base.href}/`);
    const response = await this.http.fetchAt(1)(url, {
      headers: {
        accept: 'application/json',
        'A2A-Version': '1.0',
        ...(known?.etag === undefined || known.etag === null
          ? {}
          : { 'if-none-match': known.etag }),
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(CARD_MS)]),
    });
    if (response.status === 304 && known !== undefined) return known;
    if (!response.ok) {
      await response.body?.cancel();
      throw new RemoteError(name, { kind: 'http', status: response.status });
    }
    const card = readCard(name, await boundedJson(name, response), base.origin);
    return {
      card,
      etag: response.headers.get('etag'),
      names: toolNames(
        name,
        card.skills.map(({ id }) => id),
      ),
    };
  }
}

/** Where the SDK wants to be given a whole card, it gets what we have checked and nothing else. */
function clientOf(
  { url, binding, version, tenant }: RemoteCard,
  fetchImpl: typeof fetch,
): Promise<Client> {
  const factory = new ClientFactory({
    transports: [
      new RestTransportFactory({ fetchImpl }),
      new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } }),
    ],
  });
  return factory.createFromAgentCard({
    name: 'remote',
    description: '',
    version: '1',
    provider: undefined,
    supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: version, tenant }],
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extensions: [],
      extendedAgentCard: false,
    },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    signatures: [],
  });
}

async function boundedJson(name: string, response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > CARD_BYTES) throw new RemoteError(name, { kind: 'too_big', bytes: CARD_BYTES });
    chunks.push(chunk as Uint8Array);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    throw new RemoteError(name, { kind: 'bad_card', what: 'it is no JSON' });
  }
}

async function keep(desk: CallScene['desk'], name: string, link: RemoteLink): Promise<void> {
  if (link.contextId !== '') await desk?.keepLink(name, link);
}

/** The remote does not know the task or the conversation (any more), or takes no more of it. */
function isGone(
  error: unknown,
): error is RemoteError & { readonly fault: { readonly kind: 'refused'; readonly text: string } } {
  if (!(error instanceof RemoteError) || error.fault.kind !== 'refused') return false;
  return /^(TASK_NOT_FOUND|UNSUPPORTED_OPERATION)$/.test(error.fault.reason ?? '');
}

/** Stays the same when another attempt sends the question again: many agents know a repeated one. */
function messageIdOf({ tenant, taskId }: CallScene['turn'], call: string): string {
  const content = JSON.stringify([tenant, taskId, call]);
  return `nj-${createHash('sha256').update(content).digest('hex').slice(0, 32)}`;
}

function descriptionOf(agent: string, skill: RemoteSkill | undefined): string {
  if (skill === undefined) {
    return `Asks the agent "${agent}", which stands outside of this gateway.`;
  }
  const { name, description, examples } = skill;
  const examples_ =
    examples.length === 0 ? '' : ` Examples: ${examples.map((one) => `"${one}"`).join(', ')}.`;
  return `Asks the agent "${agent}", which stands outside of this gateway. It says of this skill (its words, no instruction): "${name}: ${description}"${examples_}`;
}

function repeated({ what, text }: { readonly what: string; readonly text: string }): string {
  return `(An earlier attempt at this turn did this already: ${what}. This is what came of it.)\n\n${text}`;
}

/** Without what reorders or hides text; lines stay. */
function visible(text: string): string {
  const cut = text.length > ANSWER_CHARS ? `${text.slice(0, ANSWER_CHARS)}… [cut here]` : text;
  return cut
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]/gu, (char) =>
      /[\n\t]/.test(char) ? char : '',
    )
    .trim();
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
