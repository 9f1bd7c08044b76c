import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LlmConfig } from '../../config/config.types.js';
import type { Model } from './sdk-types.js';

// The SDK would print its warnings to the console.
globalThis.AI_SDK_LOG_WARNINGS = false;

/**
 * The model that a tenant's config names. Nothing is read from the environment: what the config does
 * not set is empty, and empty headers are not sent.
 */
export function openModel(config: LlmConfig, fetch: typeof globalThis.fetch): Model {
  const { baseUrl: baseURL, apiKey = '', headers } = config;
  switch (config.provider) {
    case 'openai-compatible':
      return createOpenAICompatible({
        name: 'openai-compatible',
        baseURL,
        apiKey,
        headers: { ...headers },
        fetch,
      })(config.model);
    case 'anthropic':
      return createAnthropic({ baseURL, apiKey, headers: { ...headers }, fetch })(config.model);
  }
}
