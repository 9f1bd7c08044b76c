import type { TenantConfig } from '../../config/config.types.js';
import type { OidcIssuer } from '../../config/oidc.types.js';
import type { JsonObject } from '../../domain/a2a.js';
import { openIdConfigurationUrl } from '../../auth/oidc/issuer-documents.js';
import { requestNames } from '../http/challenge.js';
import { PRODUCT } from '../http/product.js';
import { limitsExtension, skillsOf } from './tenant-skills.js';

/** Name of the API key scheme, whatever its header is called (n9e's name for it). */
const API_KEY_SCHEME = 'x-user-token';
const BEARER_SCHEME = 'bearer';
/** Of an issuer of access tokens; further ones have a number behind it. */
const OIDC_SCHEME = 'oidc';
const INPUT_MODES = ['text/plain'];
/** The answer; its figures and evidence as data; charts, with the CSV of their figures. */
const OUTPUT_MODES = ['text/plain', 'application/json', 'image/png', 'image/svg+xml', 'text/csv'];

/** Of no tenant in particular. */
const SKILL: JsonObject = {
  id: 'n9e-assistant',
  name: 'Ops assistant',
  description:
    'Answers questions about alerts, silences, metrics and scrape targets in natural language, English or Chinese, and names source, query and time of what it says.',
  tags: ['monitoring', 'alerting', 'prometheus', 'alertmanager', 'operations', '监控', '告警'],
  examples: [
    'What is firing in prod?',
    'How many critical alerts are there, by team?',
    'Is NodeDown silenced?',
    'Which targets are down?',
    '当前有哪些告警正在触发？',
    '按级别统计一下告警数量',
    '哪些采集目标离线了？',
    '进一步分析其中第一条',
  ],
};

export interface AgentCards {
  /** Pure A2A 1.0: its schema allows no other field. */
  readonly v1: JsonObject;
  /**
   * What 0.3 clients read, with the 1.0 interfaces embedded for those that know both. Its own
   * `additionalInterfaces` name JSON-RPC at the same URL, since gemini-cli takes the last JSON-RPC
   * entry that it finds.
   */
  readonly v03: JsonObject;
}

export interface CardOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The header of the API key. */
  readonly headerName: string;
  /** Whose access tokens are accepted. */
  readonly issuers?: readonly OidcIssuer[];
  /** Whether webhooks are switched on. */
  readonly pushNotifications?: boolean;
  /** Of an authenticated caller. */
  readonly tenant?: TenantConfig;
  /** Whether that caller may have remote agents asked. */
  readonly mayAskRemotes?: boolean;
}

/**
 * Both shapes of the agent card (spec 4.4.1 and 0.3 section 5.5). Public: nothing of a tenant, a
 * config or a secret is in it, unless it is made for a tenant (the extended card).
 */
export function agentCards({
  baseUrl,
  headerName,
  issuers = [],
  pushNotifications = false,
  tenant,
  mayAskRemotes = false,
}: CardOptions): AgentCards {
  const endpoint = `${baseUrl}/a2a`;
  const supportedInterfaces: JsonObject[] = [
    { url: endpoint, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: endpoint, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { url: endpoint, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
  ];
  const common = {
    name: PRODUCT.name,
    description:
      'A gateway to an ops assistant: asks Alertmanager and Prometheus what is going on and answers in plain words.',
    version: PRODUCT.version,
    defaultInputModes: INPUT_MODES,
    defaultOutputModes: OUTPUT_MODES,
    skills: tenant === undefined ? [SKILL] : skillsOf(tenant, mayAskRemotes),
  };
  const openId = issuers.map((issuer, index) => ({
    name: index === 0 ? OIDC_SCHEME : `${OIDC_SCHEME}-${index + 1}`,
    url: openIdConfigurationUrl(issuer),
    scopes: requestNames([issuer], 'a2a'),
  }));
  const extensions = tenant === undefined ? {} : { extensions: [limitsExtension(tenant.limits)] };
  return {
    v1: {
      ...common,
      supportedInterfaces,
      capabilities: { streaming: true, pushNotifications, extendedAgentCard: true, ...extensions },
      securitySchemes: {
        [API_KEY_SCHEME]: { apiKeySecurityScheme: { location: 'header', name: headerName } },
        [BEARER_SCHEME]: { httpAuthSecurityScheme: { scheme: 'bearer' } },
        ...Object.fromEntries(
          openId.map(({ name, url }) => [
            name,
            { openIdConnectSecurityScheme: { openIdConnectUrl: url } },
          ]),
        ),
      },
      securityRequirements: [
        { schemes: { [API_KEY_SCHEME]: { list: [] } } },
        { schemes: { [BEARER_SCHEME]: { list: [] } } },
        ...openId.map(({ name, scopes }) => ({ schemes: { [name]: { list: scopes } } })),
      ],
    },
    v03: {
      ...common,
      protocolVersion: '0.3.0',
      url: endpoint,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ url: endpoint, transport: 'JSONRPC' }],
      supportedInterfaces,
      capabilities: {
        streaming: true,
        pushNotifications,
        stateTransitionHistory: false,
        ...extensions,
      },
      supportsAuthenticatedExtendedCard: true,
      securitySchemes: {
        [API_KEY_SCHEME]: { type: 'apiKey', in: 'header', name: headerName },
        [BEARER_SCHEME]: { type: 'http', scheme: 'bearer' },
        ...Object.fromEntries(
          openId.map(({ name, url }) => [name, { type: 'openIdConnect', openIdConnectUrl: url }]),
        ),
      },
      security: [
        { [API_KEY_SCHEME]: [] },
        { [BEARER_SCHEME]: [] },
        ...openId.map(({ name, scopes }) => ({ [name]: scopes })),
      ],
    },
  };
}
