import type { TenantLimits } from './limits.js';
import type { OidcIssuer } from './oidc.types.js';
import type { ReadTool, Toolset } from './toolsets.js';

/**
 * The validated, frozen configuration. Built once at start by `loadConfig` from the environment and
 * one YAML file; nothing else reads either.
 */
export interface GatewayConfig {
  readonly listen: ListenSettings;
  readonly management: {
    readonly host: string;
    /** 0: merged into the main listener (the embedded default does this for livez and readyz). */
    readonly port: number;
    /** Answer /livez and /readyz on the main port as well. */
    readonly probesOnMain: boolean;
  };
  /** Origin and path under which clients reach the gateway, without a trailing slash. */
  readonly publicUrl?: string;
  /** Names under which clients may call, besides `publicUrl`'s: `host` (any port) or `host:port`. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may call, e.g. `https://console.example.com`. */
  readonly allowedOrigins?: readonly string[];
  /** CIDRs whose X-Forwarded-* headers are believed. */
  readonly trustedProxies: readonly string[];
  readonly redis: RedisSettings;
  readonly auth: {
    readonly headerName: string;
    /** Wrong tokens of one source address, before it is told to wait. */
    readonly failuresPerMinute: number;
    /** Accepts the tokens of n9e's users, all into one tenant. */
    readonly n9e?: {
      readonly url: string;
      readonly tenant: string;
      /** Asks n9e, too, where its users may change mutes, and lets them do it there. */
      readonly mutes: boolean;
    };
    /** Authorization servers whose access tokens are accepted. */
    readonly oidc: readonly OidcIssuer[];
  };
  /** The admin API, on the management listener. */
  readonly admin: {
    readonly enabled: boolean;
    /** Names under which it may be called, beside loopback ones and addresses it is bound to. */
    readonly allowedHosts: readonly string[];
    /** Environment variables (or `PREFIX_*`) that a tenant made by the API may refer to. */
    readonly secretEnv: readonly string[];
    /** Folder of the files that it may refer to; absent: none. */
    readonly secretFolder?: string;
  };
  readonly audit: {
    readonly retentionDays: number;
    /** Entries kept of each tenant. */
    readonly maxEntries: number;
    /** A line of JSON for each entry on standard output, too. */
    readonly stdout: boolean;
    /** And to this file. */
    readonly file?: string;
  };
  readonly usage: { readonly retentionDays: number };
  readonly a2a: { readonly enabled: boolean };
  /** A larger file is a link in an answer, not its bytes. */
  readonly files: { readonly inlineMaxBytes: number };
  readonly mcp: {
    readonly enabled: boolean;
    readonly maxWaitSeconds: number;
    /** Of tenants that name none. */
    readonly toolsets: readonly Toolset[];
  };
  /** Absent: push notifications are switched off. */
  readonly push?: PushSettings;
  /** Signs the agent cards; absent: they are unsigned. */
  readonly card?: {
    /** A private key, PEM or JWK. */
    readonly signingKey: string;
    /** Absent: the key's thumbprint (RFC 7638). */
    readonly keyId?: string;
  };
  readonly execution: {
    /** An instance silent for so long is dead. */
    readonly leaseMs: number;
    readonly heartbeatMs: number;
    /** How often the sweeper looks for dead instances. */
    readonly sweepMs: number;
    readonly maxRunsPerInstance: number;
    readonly drainSeconds: number;
    readonly maxBlockingSeconds: number;
    /** A stream without an event for so long gets a repeated status. */
    readonly streamHeartbeatMs: number;
    readonly sseCommentMs: number;
    /** A client that takes nothing from its stream for so long is cut off. */
    readonly sseStallMs: number;
  };
  readonly metrics: {
    /** So many tenants have a name in labels; all others are `other`. */
    readonly tenantLabels: number;
  };
  /** Absent: no traces. */
  readonly tracing?: TracingSettings;
  /** Of tenants that name none. */
  readonly profile: 'default' | 'strict';
  readonly log: { readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent' };
  readonly tenants: readonly TenantConfig[];
  readonly tokens: readonly TokenConfig[];
  /** Demo tenant and token are on; only with the embedded Redis or --demo, on loopback. */
  readonly demo: boolean;
}

export interface ListenSettings {
  readonly host: string;
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly tls?: ListenTls;
  /** Plain HTTP where other machines reach it: true wants it, false refuses it; absent: a warning. */
  readonly insecure?: boolean;
}

/** Files in PEM, by absolute path; see `readListenCertificate`. */
export interface ListenTls {
  /** The server's certificate, then those between it and its authority. */
  readonly cert: string;
  readonly key: string;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
}

/** A Redis ACL user; a password alone is that of the user `default`. */
export interface RedisLogin {
  readonly username?: string;
  readonly password?: string;
}

/** PEM texts; absent parts are Node's own. */
export interface TlsSettings {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name that the server's certificate must hold, where the address is another. */
  readonly serverName?: string;
}

/** Where Redis is, in any topology; every secret is resolved. */
export interface RedisSettings extends RedisLogin {
  /** See `parseRedisUrl`; a login in it wins over the one beside it. */
  readonly url: string;
  /** Of the Sentinels, which have users of their own. */
  readonly sentinel?: RedisLogin;
  readonly tls?: TlsSettings;
  /** Put before every key; no braces. */
  readonly prefix: string;
  /** Accept an evicting maxmemory policy (tasks can then vanish). */
  readonly allowEviction: boolean;
}

/** Where traces go. What is absent is for OpenTelemetry's own environment variables to say. */
export interface TracingSettings {
  /** Of a collector that takes OTLP over HTTP, e.g. `http://otel-collector:4318`. */
  readonly endpoint?: string;
  /** Sent to the collector; secrets are already resolved. */
  readonly headers: Readonly<Record<string, string>>;
  /** Share of the traces that begin here; a caller's own decision is kept. */
  readonly sampleRatio?: number;
  readonly serviceName?: string;
}

/** Push notifications (webhooks). */
export interface PushSettings {
  /** 32 bytes as hex: webhooks are stored encrypted with it. */
  readonly encryptionKey: string;
  /** Accept http:// as well. */
  readonly allowHttp: boolean;
  /** Host names and CIDRs that a webhook may reach although they are not public. */
  readonly allowPrivate: readonly string[];
  /** Of one delivery, connecting included. */
  readonly timeoutMs: number;
  /** How often what is due is looked for; what is new here, or was lately, is seen sooner. */
  readonly pollMs: number;
  /** Pause after the first failure; doubled by each further one. */
  readonly retryBaseMs: number;
  readonly retryMaxMs: number;
  /** A webhook that has failed for so long is dropped. */
  readonly giveUpSeconds: number;
  /** Deliveries at once on an instance. */
  readonly concurrency: number;
}

export interface TenantConfig {
  readonly id: string;
  readonly assistant: AssistantConfig;
  readonly sources: readonly SourceConfig[];
  /** Other agents that may be asked; those that are switched off are not in it. */
  readonly remotes: readonly RemoteAgentConfig[];
  /** MCP servers whose tools may be called; without those that are switched off. */
  readonly mcpServers: readonly McpServerConfig[];
  readonly limits: TenantLimits;
  readonly takeover: 'rerun' | 'fail';
  /** Tools that read and may be used, by whatever way; absent: all. */
  readonly tools?: readonly ReadTool[];
  /** Absent: no page is read. */
  readonly runbooks?: RunbooksConfig;
  /** What may be changed outside, by tool; a tool that is absent is denied. */
  readonly writes?: WritesConfig;
  /** A second task of a context: refused (CONTEXT_BUSY), or run in order after the first. */
  readonly contextConcurrency: 'reject' | 'queue';
  /** What MCP offers to this tenant's users. */
  readonly toolsets: readonly Toolset[];
}

/** Pages that alerts link to and the assistant may read. */
export interface RunbooksConfig {
  /** Host names, or `*.name` for those below; `:port` where it is not that of the scheme. */
  readonly hosts: readonly string[];
  readonly allowHttp: boolean;
  /** Host names and CIDRs that may be reached although they are not public. */
  readonly allowPrivate: readonly string[];
  /** Sent to each of the hosts, at its port; secrets are already resolved. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export type WritesConfig = Readonly<Record<string, WriteRule>>;

export const WRITE_POLICIES = ['deny', 'ask-caller', 'ask-operator', 'auto'] as const;
export type WritePolicy = (typeof WRITE_POLICIES)[number];

/** Who decides about the plans of one write tool. */
export interface WriteRule {
  readonly policy: WritePolicy;
  /** The plans for which `policy` holds. */
  readonly within: WriteScope;
  /** What holds for all others, and for a dangerous one where the policy is `auto`. */
  readonly otherwise: Exclude<WritePolicy, 'auto'>;
}

export interface WriteScope {
  /** Each must be among the plan's own matchers, or be narrowed by one of them. */
  readonly matchers: readonly {
    readonly name: string;
    readonly op: '=' | '!=' | '=~' | '!~';
    readonly value: string;
  }[];
  readonly longestSeconds?: number;
}

export type AssistantConfig =
  | { readonly backend: 'builtin' }
  | {
      readonly backend: 'module';
      /** Path of an ES module, absolute or relative to the YAML file. */
      readonly module: string;
      /** True: a run has no effect outside and may be repeated on another instance. */
      readonly readOnly: boolean;
      /** Passed to the module's factory as it is. */
      readonly options: Readonly<Record<string, unknown>>;
    }
  | {
      readonly backend: 'remote';
      /** Name of one of the tenant's `remotes`: every turn goes there. */
      readonly agent: string;
    }
  | LlmConfig;

/** A language model behind an HTTP API; secrets are already resolved. */
export interface LlmConfig {
  readonly backend: 'llm';
  readonly provider: 'openai-compatible' | 'anthropic';
  /** Without a trailing slash; `/chat/completions` or `/messages` is put behind it. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: the model's own. */
  readonly temperature?: number;
  /** Calls of the model in one turn; the last one gets no tools. */
  readonly maxSteps: number;
  /** Tokens of one answer of the model. */
  readonly maxTokens: number;
  /** Tokens of one request, by our own estimate; what is older is shortened to keep it. */
  readonly contextTokens: number;
  /** Tokens of a whole turn, by our own estimate; then the model must answer with what it has. */
  readonly budgetTokens: number;
  /** For so long the model may be silent: before its first byte and between two. */
  readonly timeoutMs: number;
  /** Who answers, with a note, when the model fails; absent: the task fails. */
  readonly fallback?: 'builtin';
}

export type SourceConfig =
  | { readonly type: 'demo'; readonly name: string }
  | ({ readonly type: 'alertmanager' | 'prometheus' } & HttpSourceConfig)
  | N9eSourceConfig;

export interface HttpSourceConfig {
  readonly name: string;
  readonly url: string;
  /** The other members of an HA pair or cluster, of which `url` is the first. */
  readonly peers?: readonly string[];
  /** Where people open it in a browser, for links in answers; without a trailing slash. */
  readonly webUrl?: string;
  readonly tls?: TlsSettings;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly auth?: SourceAuth;
  readonly headers: Readonly<Record<string, string>>;
}

export interface N9eSourceConfig extends HttpSourceConfig {
  readonly type: 'n9e';
  /** Ids or names; nothing of any other group is ever shown. */
  readonly busiGroups: readonly (number | string)[];
  /** Ids of the datasources that may be queried, everything in them; empty: none. */
  readonly datasources: readonly number[];
  /** Whether `writes` may make and end mutes in those groups. */
  readonly mutes: boolean;
}

/** Secrets are already resolved from their environment or file reference. */
export type SourceAuth =
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string };

/** How a remote agent or MCP server is reached over HTTP; secrets are already resolved. */
export interface RemoteHttpConfig {
  /** Of an agent: its base URL or that of its card. Of an MCP server: its endpoint. */
  readonly url: string;
  readonly auth?: SourceAuth;
  readonly headers: Readonly<Record<string, string>>;
  /** Take http and an address that is not public, for the host of `url` alone. */
  readonly allowPrivate: boolean;
  /** Of one answer, its files included. */
  readonly maxBytes: number;
}

/** An A2A agent that may be asked; each of its skills is a tool. */
export interface RemoteAgentConfig extends RemoteHttpConfig {
  readonly name: string;
  /** True: it changes nothing, and may be asked again after a crash. */
  readonly readOnly: boolean;
  /** Who decides about a call, where it is not read-only. */
  readonly policy: WritePolicy;
  /** Only these skills; absent: all. */
  readonly skills?: readonly string[];
  /** For so long it may be silent. */
  readonly silenceMs: number;
  /** Of one call. */
  readonly maxSeconds: number;
}

/** An MCP server whose tools may be called. */
export type McpServerConfig = McpServerRules &
  (
    | ({ readonly transport: 'http' } & RemoteHttpConfig)
    | {
        readonly transport: 'stdio';
        readonly command: string;
        readonly args: readonly string[];
        /** Beside PATH, HOME and the like; the gateway's own environment is not passed on. */
        readonly env: Readonly<Record<string, string>>;
        readonly cwd: string;
        readonly maxBytes: number;
      }
  );

interface McpServerRules {
  readonly name: string;
  /** Only these tools; absent: all. */
  readonly tools?: readonly string[];
  /** Who decides about the tools that are not marked as read-only; one that is absent is denied. */
  readonly writes: Readonly<Record<string, WritePolicy>>;
  /** Of one call; progress starts it anew. */
  readonly silenceMs: number;
  /** Of one call, whatever its progress. */
  readonly maxSeconds: number;
}

export interface TokenConfig {
  /** SYSTEM_TENANT for an admin's. */
  readonly tenant: string;
  readonly user: string;
  /** Lower-case hex. The secret itself is never kept. */
  readonly sha256: string;
  readonly label: string;
  readonly scopes: readonly string[];
  /** Ms since the epoch. */
  readonly expires?: number;
  /** Addresses and CIDRs from which it may be used. */
  readonly addresses?: readonly string[];
}

/** DI token of the configuration. */
export const GATEWAY_CONFIG = Symbol('GatewayConfig');
