import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Agent, request } from 'undici';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { reasonOf } from '../config/reason-of.js';
import type { MuteRights } from '../domain/call-context.js';
import { DomainError, unavailable } from '../domain/errors.js';
import { ExpiringMap } from './expiring-map.js';
import { DEFAULT_SCOPES, type Principal } from './principal.js';

/** What n9e said of a token is believed for so long. */
const KNOWN_MS = 30_000;
/** A wrong token is not asked about again before. */
const UNKNOWN_MS = 10_000;
const CACHE_MAX = 10_000;
const TIMEOUT_MS = 5000;
const MOST_BYTES = 1024 * 1024;
/** Of a user with more busi groups those with the lowest ids are asked about; in the others they may mute nothing. */
const MOST_RIGHTS = 50;
/** What the role must allow besides: to make a mute and to switch one off. */
const OPERATIONS = ['/alert-mutes/add', '/alert-mutes/put'];
/** Beyond that many questions at once n9e is not asked: strangers must not load it through us. */
const AT_ONCE = 16;

interface Known {
  /** In memory only, to ask again by. */
  readonly secret: string;
  readonly principal: Principal;
}

/**
 * Users of n9e by their own tokens (`auth.n9e`): n9e says who it is (/self/profile) and which busi groups
 * are theirs (/busi-groups), which then bound what they see of n9e. The token goes to n9e and nowhere else.
 */
@Injectable()
export class N9eIdentity implements OnModuleDestroy {
  private readonly logger = new Logger(N9eIdentity.name);
  private readonly agent = new Agent({ connections: AT_ONCE, connect: { timeout: TIMEOUT_MS } });
  private readonly known = new ExpiringMap<Known>(KNOWN_MS, CACHE_MAX, now);
  /** Longer than `known`: calls that are open are looked at again by it. */
  private readonly last = new ExpiringMap<Known>(24 * 3600_000, CACHE_MAX, now);
  private readonly unknown = new ExpiringMap<true>(UNKNOWN_MS, CACHE_MAX, now);
  private readonly asking = new Map<string, Promise<Principal | undefined>>();

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'auth'>) {}

  /**
   * Undefined for what is no token of n9e, and where n9e is not asked at all.
   * @throws DomainError UNAVAILABLE when n9e cannot say.
   */
  async identify(secret: string, sha256: string): Promise<Principal | undefined> {
    const { n9e } = this.config.auth;
    if (n9e === undefined || this.unknown.get(sha256) !== undefined) return undefined;
    const known = this.known.get(sha256);
    if (known !== undefined) return known.principal;
    let question = this.asking.get(sha256);
    if (question === undefined) {
      if (this.asking.size >= AT_ONCE) throw unavailable('The token cannot be checked right now');
      question = this.lookUp(n9e, secret, sha256).finally(() => this.asking.delete(sha256));
      this.asking.set(sha256, question);
    }
    return question;
  }

  /** Whether a token that was accepted would be again. @throws DomainError UNAVAILABLE. */
  async stands(sha256: string): Promise<boolean> {
    const known = this.last.get(sha256);
    if (known === undefined) return false;
    return (await this.identify(known.secret, sha256)) !== undefined;
  }

  async onModuleDestroy(): Promise<void> {
    await this.agent.destroy();
  }

  private async lookUp(
    n9e: NonNullable<GatewayConfig['auth']['n9e']>,
    secret: string,
    sha256: string,
  ): Promise<Principal | undefined> {
    const since = now();
    const profile = await this.get(n9e.url, '/self/profile', secret);
    const id = profile === undefined ? undefined : field(profile, 'id');
    if (typeof id !== 'number' || !Number.isInteger(id) || id <= 0) {
      this.unknown.set(sha256, true, since);
      this.last.delete(sha256);
      return undefined;
    }
    const groups = await this.get(n9e.url, '/busi-groups?limit=5000', secret);
    const busiGroups = (Array.isArray(groups) ? groups : [])
      .map((group) => field(group, 'id'))
      .filter((group): group is number => typeof group === 'number');
    // The id, never the name: a name can be given to somebody else.
    const user = `n9e-${String(id)}`;
    const mutes = n9e.mutes ? await this.rightsOf(n9e.url, profile, busiGroups, secret) : undefined;
    const principal = {
      ...{ tenant: n9e.tenant, user, scopes: DEFAULT_SCOPES, sha256, busiGroups },
      ...(mutes === undefined ? {} : { mutes }),
    };
    this.known.set(sha256, { secret, principal }, since);
    this.last.set(sha256, { secret, principal }, since);
    return principal;
  }

  /**
   * As n9e itself checks a change of mutes: by the operations of the user's roles and by `rw` on the
   * busi group; an admin passes both. A question without an answer is a no, not a closed door.
   */
  private async rightsOf(
    at: string,
    profile: unknown,
    busiGroups: readonly number[],
    secret: string,
  ): Promise<MuteRights> {
    if (field(profile, 'admin') === true) return { at, groups: busiGroups };
    try {
      const operations = await this.get(at, '/self/perms', secret);
      const has = new Set<unknown>(Array.isArray(operations) ? operations : []);
      if (!OPERATIONS.every((operation) => has.has(operation))) return { at, groups: [] };
      const asked = [...busiGroups].sort((a, b) => a - b).slice(0, MOST_RIGHTS);
      const answers = await Promise.all(
        asked.map((id) => this.get(at, `/busi-group/${String(id)}/perm/rw`, secret)),
      );
      return { at, groups: asked.filter((_id, index) => answers[index] === true) };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { at, groups: [] };
    }
  }

  /** `dat`, or undefined when n9e does not accept the token. */
  private async get(base: string, path: string, secret: string): Promise<unknown> {
    let status: number;
    let text = '';
    try {
      const answer = await request(`${base}/api/n9e${path}`, {
        dispatcher: this.agent,
        headers: { accept: 'application/json', 'x-user-token': secret, 'user-agent': 'nightjar' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      status = answer.statusCode;
      for await (const chunk of answer.body.setEncoding('utf8')) {
        text += String(chunk);
        if (text.length > MOST_BYTES) throw new Error('the answer of n9e is too long');
      }
    } catch (error) {
      throw this.cannotSay(error);
    }
    if (status === 401 || status === 403) return undefined;
    if (status !== 200) throw this.cannotSay(new Error(`n9e answered HTTP ${String(status)}`));
    try {
      const envelope = JSON.parse(text) as unknown;
      const err = field(envelope, 'err');
      // Its way to refuse: 200 with a word about it.
      return typeof err === 'string' && err !== '' ? undefined : field(envelope, 'dat');
    } catch {
      // An unknown path is answered with its pages: this is not n9e's API.
      throw this.cannotSay(
        new Error('n9e answered something that is not JSON; is auth.n9e.url right?'),
      );
    }
  }

  private cannotSay(cause: unknown): DomainError {
    const reason = reasonOf(cause);
    this.logger.warn(`a token could not be checked at n9e: ${reason}`);
    return unavailable('The token cannot be checked right now', cause);
  }
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function now(): number {
  return performance.now();
}
