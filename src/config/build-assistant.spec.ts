import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.js';
import type { AssistantConfig } from './config.types.js';
import { loadConfig } from './load-config.js';
import { redact } from './redact.js';

const LLM = {
  backend: 'llm',
  provider: 'openai-compatible',
  baseUrl: 'http://models:8000/v1/',
  model: 'qwen',
};

function load(assistant: unknown) {
  return loadConfig({
    environment: { REDIS_URL: 'redis://127.0.0.1:1', KEY: 'secret-key', TEAM: 'secret-team' },
    file: '/etc/nj/nightjar.yaml',
    files: {
      read: () => JSON.stringify({ tenants: [{ id: 'acme', assistant }] }),
      exists: () => true,
    },
  });
}

function faultsOf(assistant: unknown): readonly string[] {
  try {
    load(assistant);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

function built(assistant: unknown): AssistantConfig | undefined {
  return load(assistant).tenants[0]?.assistant;
}

describe('the llm backend in the configuration', () => {
  it('should have bounds where nothing is said', () => {
    expect(built(LLM)).toEqual({
      backend: 'llm',
      provider: 'openai-compatible',
      baseUrl: 'http://models:8000/v1',
      model: 'qwen',
      headers: {},
      maxSteps: 12,
      maxTokens: 4096,
      contextTokens: 60_000,
      budgetTokens: 400_000,
      timeoutMs: 120_000,
    });
  });

  it('should know where Anthropic is, and take every setting', () => {
    const all = {
      backend: 'llm',
      provider: 'anthropic',
      model: 'claude',
      apiKey: { env: 'KEY' },
      headers: { 'X-Team': { env: 'TEAM' }, 'X-Plain': 'a' },
      temperature: 0.2,
      maxSteps: 4,
      maxTokens: 1000,
      contextTokens: 8000,
      budgetTokens: 20_000,
      timeoutMs: 5000,
      fallback: 'builtin',
    };
    expect(built(all)).toEqual({
      ...all,
      baseUrl: 'https://api.anthropic.com/v1',
      apiKey: 'secret-key',
      headers: { 'X-Team': 'secret-team', 'X-Plain': 'a' },
    });
  });

  it('should say everything that is wrong', () => {
    const wrong = {
      backend: 'llm',
      provider: 'openai-compatible',
      apiKey: 'sk-inline',
      headers: { 'X-Key': { env: 'NOT_SET' } },
      temperature: 3,
      maxSteps: 1,
      fallback: 'module',
    };
    expect(faultsOf(wrong)).toEqual([
      'tenants[0].assistant.baseUrl: must be an http:// or https:// URL',
      'tenants[0].assistant.model: must be a text of 1 to 256 characters',
      expect.stringContaining('tenants[0].assistant.apiKey: must be {env: NAME} or {file: path}'),
      'tenants[0].assistant.temperature: must be a number, 0 to 2',
      'tenants[0].assistant.maxSteps: must be a whole number, 2 to 100',
      'tenants[0].assistant.fallback: must be one of builtin',
    ]);
    expect(faultsOf({ ...LLM, apiKey: { env: 'NOT_SET' } })).toEqual([
      'tenants[0].assistant.apiKey.env: the environment variable NOT_SET is not set',
    ]);
    expect(faultsOf({ ...LLM, baseUrl: 'http://user:pw@models' })).toEqual([
      'tenants[0].assistant.baseUrl: must not hold a user or a password',
    ]);
  });

  it('should refuse settings of another backend', () => {
    expect(faultsOf({ ...LLM, readOnly: true })).toEqual([
      'tenants[0].assistant.readOnly: has no meaning for the llm backend',
    ]);
    expect(faultsOf({ backend: 'builtin', model: 'x' })).toEqual([
      'tenants[0].assistant.model: has no meaning for the builtin backend',
    ]);
    expect(faultsOf({ backend: 'module', module: './a.mjs', apiKey: { env: 'KEY' } })).toEqual([
      'tenants[0].assistant.apiKey: has no meaning for the module backend',
    ]);
  });

  it('should be printed without secrets', () => {
    const config = load({ ...LLM, apiKey: { env: 'KEY' }, headers: { 'X-Team': { env: 'TEAM' } } });
    const shown = JSON.stringify(redact(config));
    expect(shown).not.toContain('secret-');
    expect(shown).toContain('"model":"qwen"');
    expect(shown).toContain('X-Team');
  });
});
