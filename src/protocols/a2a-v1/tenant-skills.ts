import type { AssistantConfig, TenantConfig } from '../../config/config.types.js';
import type { TenantLimits } from '../../config/limits.js';
import { ALERT_TOOLS, METRIC_TOOLS, type ReadTool } from '../../config/toolsets.js';
import type { JsonObject } from '../../domain/a2a.js';

/** Names the extension under which the extended card tells the caller's limits; nothing to activate. */
export const LIMITS_EXTENSION = 'urn:nightjar:limits:1';

const ALERTS = {
  tags: ['monitoring', 'alerting', 'alertmanager', '监控', '告警'],
  examples: [
    'What is firing in prod?',
    'How many critical alerts are there, by team?',
    'Is NodeDown silenced?',
    '当前有哪些告警正在触发？',
    '按级别统计一下告警数量',
    '进一步分析其中第一条',
  ],
};
const METRICS = {
  tags: ['metrics', 'prometheus', '指标'],
  examples: ['Which targets are down?', 'query up{job="node"}', '哪些采集目标离线了？'],
};

/**
 * What this tenant's assistant can do, as its configuration has it (seed-behaviours V22). No name,
 * address or setting of a source is in it: a caller sees a capability, not how it comes about. Other
 * agents are named, since it is by their names that they are asked; their addresses are not.
 * @param mayAskRemotes false for a user whose rights are narrower than the tenant's.
 */
export function skillsOf(tenant: TenantConfig, mayAskRemotes = true): readonly JsonObject[] {
  const { assistant, sources } = tenant;
  if (assistant.backend === 'module') return [scripted(assistant)];
  if (assistant.backend === 'remote') return [relayed()];
  const types = new Set(sources.map((source) => source.type));
  const both = types.has('demo') || types.has('n9e');
  const topics = [
    ...((both || types.has('alertmanager')) && mayUse(tenant, ALERT_TOOLS) ? [ALERTS] : []),
    ...((both || types.has('prometheus')) && mayUse(tenant, METRIC_TOOLS) ? [METRICS] : []),
  ];
  const about = [
    ...(topics.includes(ALERTS) ? ['alerts and silences'] : []),
    ...(topics.includes(METRICS) ? ['metrics, alert rules and scrape targets'] : []),
  ].join(', ');
  return [
    {
      id: 'n9e-assistant',
      name: 'Ops assistant',
      description:
        about === ''
          ? `Answers in natural language; no data source is configured for this tenant yet. ${writesOf(tenant)}`
          : `Answers questions about ${about} in natural language, English or Chinese, and names source, query and time of what it says.${types.has('demo') ? ' Some of the data is made up for demonstration.' : ''} ${writesOf(tenant)}`,
      tags: [
        'operations',
        mayWrite(tenant) ? 'may-write' : 'read-only',
        ...topics.flatMap((topic) => topic.tags),
      ],
      examples: topics.flatMap((topic) => topic.examples),
    },
    ...(mayAskRemotes ? tenant.remotes.flatMap(asking) : []),
    ...(mayAskRemotes && assistant.backend === 'llm' && offersTools(tenant)
      ? [TOOLS_OF_OTHERS]
      : []),
  ];
}

/** A remote agent that the assistant passes questions on to. */
function asking({ name, readOnly, policy }: TenantConfig['remotes'][number]): JsonObject[] {
  if (!readOnly && policy === 'deny') return [];
  const who =
    policy === 'auto'
      ? 'is asked at once'
      : policy === 'ask-caller'
        ? 'is asked once you have approved it'
        : 'is asked once an operator has approved it';
  return [
    {
      id: `ask-${name}`,
      name: `Ask ${name}`,
      description: `Passes a question on to another agent, ${name}, and shows its answer as its words. ${
        readOnly ? 'Read-only: it changes nothing.' : `It may change things, and ${who}.`
      }`,
      tags: ['remote-agent', readOnly ? 'read-only' : 'may-write'],
      examples: [`ask ${name}: why is checkout slow?`, `问 ${name} 为什么变慢`],
    },
  ];
}

const TOOLS_OF_OTHERS: JsonObject = {
  id: 'tools-of-others',
  name: 'Tools of other servers',
  description:
    'Uses tools of MCP servers that stand outside of this gateway where an answer needs them.',
  tags: ['mcp'],
  examples: [],
};

/** Which tools there are is known only once a server has told of them. */
function offersTools({ mcpServers }: TenantConfig): boolean {
  return mcpServers.length > 0;
}

function mayUse({ tools }: TenantConfig, some: readonly ReadTool[]): boolean {
  return tools === undefined || some.some((name) => tools.includes(name));
}

function writesOf(tenant: TenantConfig): string {
  const all = [
    ...(mayWriteSilences(tenant) ? ['create and end silences'] : []),
    ...(mayWriteElsewhere(tenant) ? ['have other systems change something'] : []),
  ];
  if (all.length === 0) return 'Read-only: it changes nothing.';
  return `It may ${all.join(', and ')}, as far as its operators allow; most often somebody is asked before.`;
}

function mayWrite(tenant: TenantConfig): boolean {
  return mayWriteSilences(tenant) || mayWriteElsewhere(tenant);
}

function mayWriteSilences({ writes = {} }: TenantConfig): boolean {
  return Object.values(writes).some(({ policy }) => policy !== 'deny');
}

function mayWriteElsewhere({ remotes, mcpServers }: TenantConfig): boolean {
  return (
    remotes.some(({ readOnly, policy }) => !readOnly && policy !== 'deny') ||
    mcpServers.some(({ writes }) => Object.values(writes).some((policy) => policy !== 'deny'))
  );
}

function scripted({ readOnly }: Extract<AssistantConfig, { backend: 'module' }>): JsonObject {
  return {
    id: 'fixed-script',
    name: 'Scripted assistant',
    description: `Answers by a program of this tenant's operator. ${
      readOnly
        ? 'Read-only: it changes nothing.'
        : 'It may change things outside, and is then never repeated by itself.'
    }`,
    tags: ['operations', 'script', readOnly ? 'read-only' : 'may-write'],
    examples: [],
  };
}

function relayed(): JsonObject {
  return {
    id: 'n9e-assistant',
    name: 'Ops assistant',
    description:
      'Answers in natural language; another agent does the work. It may change things outside, and is then never asked twice by itself.',
    tags: ['operations', 'remote-agent', 'may-write'],
    examples: [],
  };
}

/** The limits that a caller can meet, as an extension of the card's capabilities. */
export function limitsExtension(limits: TenantLimits): JsonObject {
  return {
    uri: LIMITS_EXTENSION,
    description: 'The limits of this caller. Bytes are UTF-8 bytes.',
    params: {
      bodyBytes: limits.a2aBodyBytes,
      textBytes: limits.textBytes,
      idBytes: limits.idBytes,
      activeTasks: limits.activePerUser,
      openStreams: limits.streamsPerUser,
      openQuestions: limits.parkedPerUser,
      runSeconds: limits.runSeconds,
      taskTtlSeconds: limits.taskTtlSeconds,
      contextIdleSeconds: limits.contextIdleSeconds,
      pageSize: limits.listPageMax,
    },
  };
}
