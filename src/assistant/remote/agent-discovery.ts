import { Logger } from '@nestjs/common';
import type { RemoteAgentConfig } from '../../config/config.types.js';
import { reasonOf } from '../../config/reason-of.js';
import type { Redactor } from '../llm/redactor.js';
import { type RemoteCard, readCard, type RemoteSkill } from './agent-card.js';
import { Keeper } from './keeper.js';
import { RemoteError } from './remote-error.js';
import type { RemoteHttp } from './remote-http.js';
import { toolNames } from './tool-name.js';

const CARD_PATH = '.well-known/agent-card.json';
const CARD_BYTES = 512 * 1024;
const CARD_MS = 10_000;

/** What is known of an agent. */
export interface KnownAgent {
  readonly card: RemoteCard;
  readonly etag: string | null;
  /** Names of tools, by skill id. */
  readonly names: ReadonlyMap<string, string>;
}

/** The card of an agent: fetched in the background, kept, and looked at again now and then. */
export class AgentDiscovery {
  private readonly log = new Logger(AgentDiscovery.name);
  private readonly keeper: Keeper<KnownAgent>;

  constructor(
    private readonly config: RemoteAgentConfig,
    private readonly http: RemoteHttp,
    tenant: string,
    private readonly redactor: Redactor,
  ) {
    const where = { tenant, agent: config.name };
    this.keeper = new Keeper<KnownAgent>({
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
        this.log.warn({ msg: `an A2A agent cannot be used: ${this.wordsOf(error)}`, ...where });
      },
    });
  }

  get known(): KnownAgent | undefined {
    return this.keeper.known;
  }

  start(): void {
    this.keeper.start();
  }

  close(): void {
    this.keeper.close();
  }

  /** Waits a moment for a card that was never seen. */
  async ready(ms: number, signal: AbortSignal): Promise<void> {
    await this.keeper.ready(ms, signal);
  }

  /** Skills that its card offers and the config lets through; none while it is unknown. */
  get skills(): readonly RemoteSkill[] {
    const all = this.known?.card.skills ?? [];
    const { skills } = this.config;
    return skills === undefined ? all : all.filter(({ id }) => skills.includes(id));
  }

  /** Fetches the card now; a text for the operator or the tenant's users. */
  async health(): Promise<{ readonly ok: boolean; readonly text: string }> {
    await this.keeper.refresh();
    const { known, error } = this.keeper;
    if (error !== undefined || known === undefined) {
      return { ok: false, text: error === undefined ? 'not asked yet' : this.wordsOf(error) };
    }
    const { version, binding } = known.card;
    return {
      ok: true,
      text: `A2A ${version} (${binding}), ${String(this.skills.length)} skills`,
    };
  }

  /** @throws RemoteError when there is none, and none can be got now. */
  async card(signal: AbortSignal): Promise<RemoteCard> {
    const known = await this.keeper.ready(CARD_MS, signal);
    if (known !== undefined) return known.card;
    const { error } = this.keeper;
    throw error instanceof RemoteError
      ? error
      : new RemoteError(this.config.name, { kind: 'silent', seconds: CARD_MS / 1000 });
  }

  /** For people and logs. */
  private wordsOf(error: unknown): string {
    return this.redactor.hide(reasonOf(error));
  }

  private async fetchCard(known: KnownAgent | undefined, signal: AbortSignal): Promise<KnownAgent> {
    const { name } = this.config;
    const base = new URL(this.config.url);
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
        this.redactor,
      ),
    };
  }
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
