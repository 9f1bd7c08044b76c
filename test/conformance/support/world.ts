import { createHash } from 'node:crypto';
import { A2aClient } from '../../support/a2a-client.js';
import type { HookServer } from '../../support/hook-server.js';
import { type Cell, isA2a, isMcp } from './cells.js';
import { McpWire } from './mcp-wire.js';
import { Wire } from './wire.js';

/** Where the gateways are; nothing else of them is known to a proof. */
export interface Site {
  /** Two instances on one Redis. */
  readonly a: string;
  readonly b: string;
  /** Of the first one. */
  readonly management: string;
  /** Has a public URL, a header of its own for the token, a signing key and strict webhooks. */
  readonly named: string;
  /** Without MCP and without webhooks. */
  readonly plain: string;
  /** With everything public switched off. */
  readonly off: string;
}

/** What `named` is configured with. */
export const NAMED = {
  publicUrl: 'https://nightjar.example.com/ops',
  headerName: 'X-Ops-Token',
} as const;

/**
 * Tenants of every gateway: `acme` and `globex` run what a message commands (the scripted backend),
 * `queue` does so in order within a context, `small` has small limits, `demo` has the built-in
 * assistant and made-up alerts.
 */
export const TENANTS = ['acme', 'globex', 'queue', 'small', 'demo'] as const;
export type Tenant = (typeof TENANTS)[number];

/** An admin of every gateway. */
export const ADMIN_TOKEN = `nj_${'admin'.repeat(9)}`;

/** Limits of the tenant `small`. */
export const SMALL = {
  textBytes: 64,
  a2aBodyBytes: 8192,
  mcpBodyBytes: 8192,
  activePerUser: 2,
  streamsPerUser: 2,
  parkedPerUser: 2,
} as const;

export interface Person {
  readonly tenant: Tenant;
  readonly user: string;
  readonly token: string;
}

/** The same for the same words, so that a gateway can be configured before. */
export function person(proof: number, tenant: Tenant, role: string): Person {
  const user = `${role}-${proof}`;
  const hash = createHash('sha256').update(`conformance ${tenant} ${user}`).digest('base64url');
  return { tenant, user, token: `nj_${hash}` };
}

/** The people of a proof: nobody else's tasks are among theirs. */
export function peopleOf(proof: number): readonly Person[] {
  return [
    ...TENANTS.map((tenant) => person(proof, tenant, 'me')),
    person(proof, 'acme', 'colleague'),
  ];
}

/** What one proof has: base URLs, tokens, and callers of its cell's binding. */
export class World {
  /** Of tenant acme. */
  readonly me: Person;
  /** Another user of the same tenant. */
  readonly colleague: Person;
  /** Of another tenant, with the same user name. */
  readonly stranger: Person;

  constructor(
    readonly cell: Cell,
    readonly site: Site,
    /** What webhooks lead to. */
    readonly hook: HookServer,
    private readonly proof: number,
    /** For anything that is waited for, in milliseconds. */
    readonly patience: number,
  ) {
    this.me = this.of('acme');
    this.colleague = person(proof, 'acme', 'colleague');
    this.stranger = this.of('globex');
  }

  of(tenant: Tenant): Person {
    return person(this.proof, tenant, 'me');
  }

  /** A caller of A2A over the cell's binding; over REST for a cell that is none of A2A. */
  wire(who: Person | null = this.me, base = this.site.a): Wire {
    const cell = isA2a(this.cell) ? this.cell : 'rest-1.0';
    return new Wire(cell, base, who?.token, this.patience);
  }

  /** The same on the other instance. */
  other(who: Person = this.me): Wire {
    return this.wire(who, this.site.b);
  }

  /** @throws Error in a cell that is none of MCP. */
  mcp(who: Person | null = this.me, base = this.site.a): McpWire {
    if (!isMcp(this.cell)) throw new Error(`${this.cell} is no cell of MCP`);
    return new McpWire(this.cell, base, who?.token, this.patience);
  }

  /** The management listener of the first instance, as its admin, as somebody or as nobody. */
  admin(token: string | null = ADMIN_TOKEN): A2aClient {
    return new A2aClient(this.site.management, token ?? undefined);
  }

  /** A name that no other proof takes. */
  get name(): string {
    return `proof-${this.proof}`;
  }

  http(who: Person | null = this.me, base = this.site.a): A2aClient {
    return new A2aClient(base, who?.token);
  }
}
