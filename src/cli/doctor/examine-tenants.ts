import { ModelHttp } from '../../assistant/llm/model-http.js';
import { Redactor } from '../../assistant/llm/redactor.js';
import { secretsOf } from '../../assistant/llm/tenant-secrets.js';
import { openSources } from '../../assistant/sources/tenant-sources.js';
import { TenantRemotes } from '../../assistant/remote/tenant-remotes.js';
import type { LlmConfig, TenantConfig } from '../../config/config.types.js';
import { reasonOf } from '../../config/reason-of.js';
import type { Finding } from '../../redis/doctor/finding.js';

const PATIENCE_MS = 10_000;

/** Whether each tenant's sources, language model and remotes answer, asked as the gateway asks them. */
export async function examineTenants(tenants: readonly TenantConfig[]): Promise<Finding[]> {
  const findings = await Promise.all(
    tenants.map(async (tenant) => [
      ...(await examineSources(tenant)),
      ...(await examineModel(tenant)),
      ...(await examineRemotes(tenant)),
    ]),
  );
  return findings.flat();
}

async function examineSources({ id, sources }: TenantConfig): Promise<Finding[]> {
  if (sources.length === 0) {
    const text = 'no source: the assistant can say nothing about alerts';
    return [{ check: 'sources', where: id, level: 'warning', text }];
  }
  const opened = openSources(sources);
  try {
    const healths = await opened.health(AbortSignal.timeout(PATIENCE_MS));
    return healths.map(({ name, type, ok, text }) => ({
      check: type,
      where: `${id}/${name}`,
      level: ok ? 'ok' : 'error',
      text,
    }));
  } catch (error) {
    return [{ check: 'sources', where: id, level: 'error', text: reasonOf(error) }];
  } finally {
    await opened.close();
  }
}

async function examineRemotes(tenant: TenantConfig): Promise<Finding[]> {
  const remotes = new TenantRemotes(tenant, new Redactor(secretsOf(tenant)));
  try {
    const healths = await remotes.examine();
    return healths.map(({ name, type, ok, text, unsure }) => ({
      check: type === 'agent' ? 'agent' : 'mcp server',
      where: `${tenant.id}/${name}`,
      level: !ok ? 'error' : unsure === undefined ? 'ok' : 'unknown',
      text: unsure === undefined ? text : `${text}; its credentials are not proven: ${unsure}`,
    }));
  } finally {
    await remotes.close();
  }
}

async function examineModel({ id, assistant }: TenantConfig): Promise<Finding[]> {
  if (assistant.backend !== 'llm') return [];
  const http = new ModelHttp(Math.min(assistant.timeoutMs, PATIENCE_MS));
  try {
    const { status } = await http.fetch(`${assistant.baseUrl}/models`, {
      method: 'GET',
      headers: headersOf(assistant),
    });
    return [{ check: 'model', where: `${id}/${assistant.model}`, ...judge(status) }];
  } catch (error) {
    const text = reasonOf(error);
    return [{ check: 'model', where: `${id}/${assistant.model}`, level: 'error', text }];
  } finally {
    await http.close();
  }
}

/** Not every provider lists its models: that it answers, and takes the key, is what counts. */
function judge(status: number): Pick<Finding, 'level' | 'text'> {
  if (status === 401 || status === 403) {
    return { level: 'error', text: `the provider refuses the key (${status})` };
  }
  if (status >= 500) return { level: 'error', text: `the provider answers ${status}` };
  const unlisted = status >= 400 ? ` (${status} to a list of models)` : '';
  return { level: 'ok', text: `the provider answers${unlisted}` };
}

function headersOf({ provider, apiKey, headers }: LlmConfig): Record<string, string> {
  if (apiKey === undefined) return { ...headers };
  return provider === 'anthropic'
    ? { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01', ...headers }
    : { authorization: `Bearer ${apiKey}`, ...headers };
}
