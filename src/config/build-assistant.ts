import { resolve } from 'node:path';
import { buildHeaders } from './build-sources.js';
import type { BuildContext } from './build-input.js';
import type { AssistantConfig, LlmConfig } from './config.types.js';
import type { RemoteAgentDto } from './dto/remote.dto.js';
import type { AssistantDto } from './dto/tenant.dto.js';

const ANTHROPIC_URL = 'https://api.anthropic.com/v1';
const MODULE_KEYS = ['module', 'readOnly', 'options'] as const;
const REMOTE_KEYS = ['agent'] as const;
const LLM_KEYS = [
  'provider',
  'baseUrl',
  'model',
  'apiKey',
  'headers',
  'temperature',
  'maxSteps',
  'maxTokens',
  'contextTokens',
  'budgetTokens',
  'timeoutMs',
  'fallback',
] as const;
/** Settings that mean nothing for a backend: a fault rather than a surprise. */
const FOREIGN_KEYS = {
  builtin: [...MODULE_KEYS, ...LLM_KEYS, ...REMOTE_KEYS],
  module: [...LLM_KEYS, ...REMOTE_KEYS],
  llm: [...MODULE_KEYS, ...REMOTE_KEYS],
  remote: [...MODULE_KEYS, ...LLM_KEYS],
} as const;

/**
 * Who answers for a tenant; the builtin backend where nothing is said. `place` is the section's.
 * @param remotes the tenant's other agents.
 */
export function buildAssistant(
  assistant: AssistantDto | undefined,
  place: string,
  context: BuildContext,
  remotes: readonly RemoteAgentDto[],
): AssistantConfig {
  const { folder, files, faults } = context;
  if (assistant === undefined || faults.has(place)) return { backend: 'builtin' };
  for (const key of FOREIGN_KEYS[assistant.backend]) {
    if (assistant[key] !== undefined) {
      faults.add(`${place}.${key}`, `has no meaning for the ${assistant.backend} backend`);
    }
  }
  switch (assistant.backend) {
    case 'builtin':
      return { backend: 'builtin' };
    case 'module': {
      const module = resolve(folder, assistant.module ?? '');
      if (!files.exists(module)) faults.add(`${place}.module`, `there is no file ${module}`);
      return {
        backend: 'module',
        module,
        readOnly: assistant.readOnly ?? false,
        options: assistant.options ?? {},
      };
    }
    case 'remote': {
      const agent = assistant.agent ?? '';
      if (!remotes.some(({ name, enabled }) => name === agent && enabled !== false)) {
        faults.add(`${place}.agent`, "must be the name of one of the tenant's enabled remotes");
      }
      return { backend: 'remote', agent };
    }
    case 'llm':
      return buildLlm(assistant, place, context);
  }
}

function buildLlm(assistant: AssistantDto, place: string, { secrets }: BuildContext): LlmConfig {
  const { apiKey, temperature, fallback } = assistant;
  return {
    backend: 'llm',
    provider: assistant.provider ?? 'openai-compatible',
    baseUrl: (assistant.baseUrl ?? ANTHROPIC_URL).replace(/\/+$/, ''),
    model: assistant.model ?? '',
    ...(apiKey === undefined ? {} : { apiKey: secrets.read(apiKey, `${place}.apiKey`) }),
    headers: buildHeaders(assistant.headers, `${place}.headers`, secrets),
    ...(temperature === undefined ? {} : { temperature }),
    maxSteps: assistant.maxSteps ?? 12,
    maxTokens: assistant.maxTokens ?? 4096,
    contextTokens: assistant.contextTokens ?? 60_000,
    budgetTokens: assistant.budgetTokens ?? 400_000,
    timeoutMs: assistant.timeoutMs ?? 120_000,
    ...(fallback === undefined ? {} : { fallback }),
  };
}
